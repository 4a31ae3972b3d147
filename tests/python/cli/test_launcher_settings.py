"""What the words for a launcher may set."""

import pytest

from stretto.cli.launcher_settings import settings_in


@pytest.mark.parametrize(
    ("words", "setting"),
    [
        ("--mca coll ^hcoll,han", ("OMPI_MCA_coll", "^hcoll,han")),
        ("-x OMPI_MCA_coll=self,basic,tuned", ("OMPI_MCA_coll", "self,basic,tuned")),
        ("-genv I_MPI_ADJUST_BCAST 1", ("I_MPI_ADJUST_BCAST", "1")),
        ("-env 'I_MPI_ADJUST_BCAST=1:0-8;2:9-16'", ("I_MPI_ADJUST_BCAST", "1:0-8;2:9-16")),
        ("--tune settings.conf", ("--tune", "settings.conf")),
        ("--tune=settings.conf", ("--tune", "settings.conf")),
        ("--export=ALL,I_MPI_TUNING=a.json,B=c", ("I_MPI_TUNING", "a.json")),
        ("-n 4 --export ALL,B=c,I_MPI_TUNING=a.json --mpi=pmix", ("I_MPI_TUNING", "a.json")),
    ],
)
def test_settings_are_found(words: str, setting: tuple[str, str]) -> None:
    assert setting in list(settings_in(words))


@pytest.mark.parametrize(
    "words",
    [
        "-x OMPI_MCA_coll --bind-to core",
        "--export=ALL,OMPI_MCA_coll,B=2",
        "--export OMPI_MCA_coll,B=2 -n 2",
    ],
)
def test_what_is_handed_on_as_it_is_is_not_set(words: str) -> None:
    assert "OMPI_MCA_coll" not in dict(settings_in(words))


def test_no_words_set_nothing() -> None:
    assert list(settings_in("")) == []
