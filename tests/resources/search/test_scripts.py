"""Search in scripts without blanks between words: any word inside a run is found, and just where it stands."""
# ruff: noqa: RUF001 (their punctuation only looks like ours)

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ...old_schemas import settings_of
from ...running import running
from ...world import World
from .test_search import comment, found, titles

# A board as a team in Japan writes it, and the words that stand in it most often.
JAPANESE = """
ログイン画面の表示が崩れる不具合を修正
パスワード再設定メールが届かない件を調査する
検索結果の並び順を変更できるようにしてほしい
リリース手順書を最新の内容に更新
本番環境のデータベースをバックアップから復元するテスト
新機能のテスト項目を作成し、レビューを依頼
お客様からの問い合わせに対応（請求書の金額が違う）
エラー画面に表示するメッセージを確認
ユーザー一覧のAPIに検索機能を追加
次回リリースの日程を会議で決定
設定画面でタイムゾーンを変更できない
テスト環境の証明書が期限切れ。更新を依頼済み
仕様書の確認と修正、来週までに対応する
「お知らせ」を表示する機能の追加について検討
データ移行のスクリプトを作成
通知メールの文面を確認してもらう
管理画面のユーザー追加でエラーが発生する
レビュー指摘への対応：変数名の変更
モバイル版の画面デザインを更新
会議の議事録をまとめて共有する
決済機能の不具合を調査し、原因を報告
API仕様の変更をお客様に連絡
夜間バッチのエラー通知を追加
ログの出力設定を見直し、容量を確認
来月のリリースに向けた作業の一覧を作成
画面遷移の仕様を確認（検索→詳細→編集）
ユーザーの権限設定に関する問い合わせ
不具合報告のテンプレートを更新
テスト結果の報告書を作成、確認依頼
データの削除機能にテストを追加
"""
JAPANESE_WORDS = """確認 修正 画面 追加 変更 機能 テスト 更新 作成 対応 設定 ユーザー エラー
リリース 検索 依頼 不具合 表示 データ 報告 レビュー 会議 仕様 問い合わせ 通知"""
CHINESE = """
修复登录页面无法显示验证码的问题
更新用户手册并发送给客户
數據庫備份失敗，請檢查磁碟空間
添加订单搜索功能，支持按日期筛选
會議記錄：下週發布新版本
优化首页加载速度（目前需要5秒）
用户反馈：手机端无法上传文件
"""
CHINESE_WORDS = "登录 页面 显示 用户 客户 備份 檢查 搜索 功能 會議 發布 版本 首页 手机 上传文件 无法 问题 5秒"


async def board_of(world: World, lines: str) -> dict[str, str]:
    """Make a board whose cards say these lines, by turns in title, field and comment; return the line of each card."""
    board, said = await world.board(), {}
    for number, line in enumerate(lines.strip().splitlines()):
        value = {"fieldId": board.field("description"), "value": line}
        wishes: Any = [{"title": line}, {"title": "A", "fieldValues": [value]}, {"title": "B"}][number % 3]
        card = await world.card(board, **wishes)
        if number % 3 == 2:
            await comment(world, card, f"Noted: {line}")
        said[card["id"]] = line
    return said


@pytest.mark.parametrize(("lines", "words"), [(JAPANESE, JAPANESE_WORDS), (CHINESE, CHINESE_WORDS)])
async def test_every_word_of_a_board_is_found_on_each_card_that_has_it(world: World, lines: str, words: str) -> None:
    said = await board_of(world, lines)
    expected = {word: {card for card, line in said.items() if word in line} for word in words.split()}
    assert all(expected.values())
    shown = {word: await found(world.member, word, pageSize=100) for word in expected}
    assert {word: {item["cardId"] for item in page["items"]} for word, page in shown.items()} == expected
    assert sum(page["total"] for page in shown.values()) == sum(map(len, expected.values()))
    for word, page in shown.items():
        for item in page["items"]:
            assert item["snippets"]
            for snippet in item["snippets"]:
                assert snippet["text"] in ("Noted: " + said[item["cardId"]])
                assert {snippet["text"][start:end] for start, end in snippet["hits"]} == {word}


async def test_words_of_several_scripts_stand_beside_each_other(world: World) -> None:
    board = await world.board()
    await world.card(board, title="API仕様書v2を確認")
    for wanted in ("API", "api", "仕様", "v2", "API仕様", '"仕様書v2を"', "確認 API", "API 確 認", "書"):
        assert await titles(world.sa, wanted) == ["API仕様書v2を確認"], wanted
    for missing in ("書仕", "v", "PI", '"確認 API"', "様v", "確API"):
        assert await titles(world.sa, missing) == [], missing


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("새로운카드를추가합니다", ["카드", "추가", "합니다"]),
        ("แก้ไขหน้าจอเข้าสู่ระบบ", ["หน้าจอ", "ระบบ", "เข้าสู่"]),
        ("ແກ້ໄຂໜ້າຈໍ", ["ໜ້າຈໍ"]),
        ("𠮷野家で会議", ["𠮷野家", "会議"]),
        ("ﾃｽﾄ結果", ["ﾃｽﾄ", "結果"]),
    ],
)
async def test_other_scripts_without_blanks_are_found_alike(world: World, title: str, words: list[str]) -> None:
    await world.card(await world.board(), title=title)
    for word in words:
        assert await titles(world.sa, word) == [title], word


async def test_scripts_with_blanks_are_searched_by_whole_words_as_before(world: World) -> None:
    await world.card(await world.board(), title="Елка Größe Ωmega עברית عربي")
    for word in ("елка", "grosse", "größe", "ωmega", "עברית", "عربي"):
        assert len(await titles(world.sa, f'"{word}"')) == 1, word
    for part in ("лка", "röße", "ברי"):
        assert await titles(world.sa, f'"{part}"') == [], part


async def test_a_boundary_that_somebody_writes_is_no_more_than_a_blank(world: World) -> None:
    card = await world.card(await world.board())
    await comment(world, card, "日\x1f本 a\x1fb")
    (item,) = (await found(world.sa, "a"))["items"]
    (snippet,) = item["snippets"]
    assert snippet["text"] == "日 本 a b"
    assert [snippet["text"][start:end] for start, end in snippet["hits"]] == ["a"]


BEFORE = 21  # the last schema under which a run was one word


async def test_what_was_indexed_before_is_found_once_the_update_is_through(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "data", BEFORE)
    with closing(sqlite3.connect(settings.database, isolation_level=None)) as database:
        database.execute("UPDATE cards SET title = '画面を確認' WHERE id = 'card_2'")
        database.execute("UPDATE field_values SET value = '\"不具合の修正\"' WHERE card_id = 'card_1'")
        database.execute("UPDATE cards SET title = 'Latin' WHERE id = 'card_1'")
        _index(database, 1, "card_1", [("Latin", "不具合の修正", "Hello"), ("Latin", "", "Yes")])
        _index(database, 2, "card_2", [("画面を確認", "", "")])
        _index(database, 3, "card_3", [("Kept as it is — “é”", "", "")])
        database.execute("DELETE FROM search_pending")
    async with running(settings) as world:
        async with asyncio.timeout(20):
            while not (await found(world.sa, "確認"))["items"]:  # noqa: ASYNC110  # it is indexed in the background
                await asyncio.sleep(0.05)
        for word, key in (("確認", "card_2"), ("修正", "card_1"), ("hello", "card_1"), ("yes", "card_1")):
            assert [item["cardId"] for item in (await found(world.sa, word))["items"]] == [key], word
    with closing(sqlite3.connect(settings.database)) as database:
        assert database.execute("SELECT count(*) FROM search_texts WHERE rowid = 3").fetchone() == (1,)
        assert database.execute("SELECT count(*) FROM search_pending").fetchone() == (0,)
        database.execute("INSERT INTO search_texts (search_texts) VALUES ('integrity-check')")
        parts = database.execute("SELECT rowid FROM search_titles WHERE search_titles MATCH '\"を確認\"'").fetchall()
        assert parts == [(2,)]


async def test_texts_that_were_indexed_unfolded_are_found_once_the_update_is_through(tmp_path: Path) -> None:
    settings = settings_of(tmp_path / "data", 49)
    with closing(sqlite3.connect(settings.database, isolation_level=None)) as database:
        database.execute("DELETE FROM search_texts")
        database.execute("DELETE FROM search_cards")
        database.execute("UPDATE cards SET title = 'latin' WHERE id = 'card_1'")
        database.execute(
            "INSERT INTO comments (id, org_id, card_id, content, actor_type, actor_id, created_at)"
            " VALUES ('cmt_new', 'org_home', 'card_1', 'To Łódź', 'User', 'usr_sa', '2026-01-01T00:00:00.000Z')"
        )
        _index(database, 1, "card_1", [("latin", "", "To Łódź")], "cmt_new")
        database.execute("DELETE FROM search_pending")
        database.execute("DELETE FROM search_backlog")
    async with running(settings) as world:
        async with asyncio.timeout(20):
            while not (items := (await found(world.sa, "lodz"))["items"]):  # noqa: ASYNC110  # indexed in the background
                await asyncio.sleep(0.05)
        (snippet,) = items[0]["snippets"]
        assert [snippet["text"][start:end] for start, end in snippet["hits"]] == ["Łódź"]
    with closing(sqlite3.connect(settings.database)) as database:
        database.execute("INSERT INTO search_texts (search_texts) VALUES ('integrity-check')")


def _index(
    database: sqlite3.Connection, number: int, card_id: str, parts: list[tuple[str, str, str]], comment: str = "cmt_1"
) -> None:
    """Index a card as it was done before."""
    row = (
        "INSERT INTO search_cards (number, active, project_id, org_id, card_id) VALUES (?, 1, 'proj_1', 'org_home', ?)"
    )
    database.execute(row, (number, card_id))
    for part, (title, fields, comments) in enumerate(parts):
        names = "rowid, title, sources, fields, comments"
        values = (number * 65536 + part, title, f'{{"fields": ["fld_1"], "comments": ["{comment}"]}}', fields, comments)
        database.execute(f"INSERT INTO search_texts ({names}) VALUES (?, ?, ?, ?, ?)", values)
