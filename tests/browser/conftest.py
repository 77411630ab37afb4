"""One Chromium for the tests of a module: without a window, without a network, with a driver that nobody downloads."""

import os
import shutil

import pytest

collect_ignore = ["conftest.py"]
"""No place for doctests: a module with the name of another one."""

SWITCHES = [
    "--headless=new",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",  # which is small in containers
    "--disable-gpu",
    "--force-device-scale-factor=1",
    "--no-first-run",
    "--window-size=1200,900",
]


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    """A running Chromium; tests that need it are skipped where Chromium, its driver or Selenium is missing."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="Selenium is not installed")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        missing = "Chromium" if browser is None else "its chromedriver"
        pytest.skip(f"{missing} is not installed: Debian has both as chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for switch in [*SWITCHES, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(switch)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # which root cannot have
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    running = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    running.get("about:blank")  # away from the start page, which loads what it likes
    yield running
    running.quit()
