"""GET /admin/lost-secrets: the webhooks and tool servers whose secrets must be set again."""

from service.auth.encryption import Encryptor
from service.auth.reencryption import empty_lost_values
from service.config import Settings

from ..running import running

FRESH = "fresh-secret-of-at-least-thirty-two-bytes"
SERVER = {"name": "S", "transport": "stdio", "command": "run", "env": {"KEY": "value"}}
TOKEN = {"name": "T", "transport": "http", "url": "https://tools.test", "auth": {"kind": "bearer", "token": "t"}}
PLAIN = {"name": "Plain", "transport": "stdio", "command": "run"}
HOOK = {"url": "https://hooks.test", "enabled": False}


async def test_lost_secrets_are_listed_until_they_are_set_again(settings: Settings) -> None:
    async with running(settings) as world:
        ids = [(await world.sa.post("/mcp-servers", body)).ok()["id"] for body in (SERVER, TOKEN, PLAIN)]
        hook = (await world.sa.post("/webhooks", HOOK)).ok()["id"]
        assert (await world.sa.get("/admin/lost-secrets")).ok() == []
        (await world.outsider.post("/webhooks", HOOK)).ok()
    async with running(settings.model_copy(update={"jwt_secret": FRESH})) as world:
        found = (await world.sa.get("/admin/lost-secrets")).ok()
        named = [(row["type"], row["id"], row["name"]) for row in found]
        assert named == [
            ("webhook", hook, HOOK["url"]),
            ("toolServer", ids[0], "S"),
            ("toolServer", ids[1], "T"),
        ]
        (await world.member.get("/admin/lost-secrets")).refused(403, "sa_required")
        assert world.service is not None
        await world.service.store.write(lambda tx: empty_lost_values(tx, Encryptor(FRESH)))
        assert (await world.sa.get("/admin/lost-secrets")).ok() == found
        assert (await world.sa.get(f"/mcp-servers/{ids[1]}")).ok()["auth"]["tokenSet"] is False
        for path, change in (
            (f"/webhooks/{hook}", {"secret": "a-secret-that-is-long-enough"}),
            (f"/mcp-servers/{ids[0]}", {"env": SERVER["env"]}),
            (f"/mcp-servers/{ids[1]}", {"auth": TOKEN["auth"]}),
        ):
            (await world.sa.patch(path, change)).ok()
        assert (await world.sa.get("/admin/lost-secrets")).ok() == []
