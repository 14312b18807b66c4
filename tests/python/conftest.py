"""What the tests run and where their data is."""

import support


def pytest_report_header():
    data = support.DATA if support.DATA.is_dir() else f"{support.DATA} is not there, so tests of real data skip"
    return [f"openwork: {support.BIN}", f"data: {data}"]
