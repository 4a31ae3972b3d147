import json
import os

from stretto.data.json_bytes import indented, json_bytes
from stretto.data.toml_text import written


def test_bytes_that_are_no_characters_can_be_read_back() -> None:
    odd = os.fsdecode("é".encode() + b"a\xff")
    assert json.loads(json_bytes({"name": odd})) == {"name": "éa\\xff"}
    assert json.loads(indented([odd])) == ["éa\\xff"]
    assert written(odd) == '"éa\\\\xff"'
    assert json_bytes(["é"]) == '["é"]'.encode()
