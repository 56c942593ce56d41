"""Borders of words: which characters continue the word beside them."""
# ruff: noqa: RUF001 (letters and punctuation that look like others are what is tested)

import pytest

from service.text.addresses import remove_addresses
from service.text.word_borders import continues_word, is_foreign_punctuation


@pytest.mark.parametrize("character", "aZ9éßяαאعहिა\u0301１Ａ")
def test_letters_marks_and_digits_of_scripts_with_blanks_continue_a_word(character: str) -> None:
    assert continues_word(character)


@pytest.mark.parametrize("character", ["", *"看かカｶ님ไກមက\U00020bb7\ufe0f _-@.，（　🎉"])
def test_letters_of_scripts_without_blanks_and_signs_do_not(character: str) -> None:
    assert not continues_word(character)


@pytest.mark.parametrize("character", "，。、（）【】「」！？～｜＜”…’")
def test_punctuation_beyond_ascii_ends_an_address(character: str) -> None:
    assert is_foreign_punctuation(character)
    assert remove_addresses(f"看https://a.test/看{character}b") == f"看 {character}b"


@pytest.mark.parametrize("character", "a看é,.)/$+")
def test_letters_and_ascii_belong_to_an_address(character: str) -> None:
    assert not is_foreign_punctuation(character)
    assert remove_addresses(f"https://a.test/x{character}y z") == "  z"
