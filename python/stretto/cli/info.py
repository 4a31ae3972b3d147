"""stretto info: what Stretto finds on this machine, and how it is set."""

import os
from dataclasses import asdict

from stretto.cli.options import AsJson
from stretto.cli.output import print_info, print_plain_json
from stretto.launch.survey import survey


def info(as_json: AsJson = False) -> None:
    """Show the MPIs found, the variants built, the cores and every setting.

    Example: stretto info
    """
    found = survey(os.environ)
    if as_json:
        print_plain_json(asdict(found))
    else:
        print_info(found)
