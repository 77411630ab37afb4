/* The button of a page turns light into dark and back; until it is pressed, the system decides. */
for (const button of document.querySelectorAll(".mdview-theme")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const { dataset } = document.documentElement;
    const theme = dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    dataset.theme = theme === "dark" ? "light" : "dark";
  });
}
