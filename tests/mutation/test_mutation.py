

def test_a_name_of_no_mutant_is_refused():
    command = [sys.executable, RUN, "--named", "mdview/slices.py:1: Lt to LtE"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "no such mutant: mdview/slices.py:1: Lt to LtE" in ran.stderr
