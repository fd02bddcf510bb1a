"""Uploads: in pieces, after a break, under the server's own names, never as a page."""

import httpx

from tests.web.serving import STEPS, Server

PAGE = b"<!doctype html><script>alert(document.cookie)</script>" * 50


def test_an_upload_goes_on_where_it_was_broken_off(server: Server) -> None:
    data = (server.folder / "pasta.mp4").read_bytes()
    began = server.post("/uploads", {"name": "mine.mp4", "size": len(data)})
    place = f"/uploads/{began['id']}"
    assert server.client.put(f"{place}?offset=0", content=data[:1000]).json()["received"] == 1000
    wrong = server.client.put(f"{place}?offset=500", content=data[500:])
    assert (wrong.status_code, wrong.json()["error"]["received"]) == (409, 1000)
    assert [one["received"] for one in server.get("/uploads")["uploads"] if one["id"] == began["id"]] == [1000]
    done = server.client.put(f"{place}?offset=1000", content=data[1000:]).json()
    assert done["received"] == len(data)
    listed = {one["id"]: one for one in server.get("/videos")["videos"]}
    assert (listed[done["video"]]["name"], listed[done["video"]]["uploaded"]) == ("mine.mp4", True)
    assert server.client.delete(place).status_code == 204
    assert done["video"] not in {one["id"] for one in server.get("/videos")["videos"]}


def test_more_bytes_than_told_are_refused(server: Server) -> None:
    began = server.post("/uploads", {"name": "a.mp4", "size": 10})
    assert server.client.put(f"/uploads/{began['id']}?offset=0", content=b"x" * 11).status_code == 413
    assert server.client.delete(f"/uploads/{began['id']}").status_code == 204


def test_a_file_above_the_limit_is_refused_by_its_size(server: Server) -> None:
    answer = server.client.post("/uploads", json={"name": "a.mp4", "size": 6_000_000})
    assert answer.status_code == 413
    assert "5 MB" in answer.json()["error"]["message"]


def test_names_are_the_servers_own(server: Server) -> None:
    names = ("../../evil.mp4", "/etc/cron.d/evil", "C:\\evil.mp4", "a\0b.mp4", "x" * 255, "..", "video.html")
    for name in names:
        began = server.post("/uploads", {"name": name, "size": 3})
        assert "/" not in began["name"]
        files = [path.name for path in (server.state / "uploads" / began["id"]).iterdir()]
        assert set(files) <= {"record.json", "video.mp4", "video.bin"}
        server.client.delete(f"/uploads/{began['id']}")
    assert not list(server.state.parent.glob("**/evil*"))


def test_a_page_that_was_uploaded_is_never_given_back_as_one(server: Server) -> None:
    video = server.upload("page.html", PAGE)
    made = server.post("/projects", {"video": video, "text": STEPS, "listen": "off"})
    assert "is a text, not a video" in server.wait(f"/projects/{made['id']}", "failed")["error"]
    given: httpx.Response = server.client.get(f"/projects/{made['id']}/video")
    assert "html" not in given.headers.get("content-type", "")
    assert given.headers["x-content-type-options"] == "nosniff"
    assert server.client.delete(f"/projects/{made['id']}").status_code == 204
    assert video not in {one["id"] for one in server.get("/videos")["videos"]}


def test_an_archive_is_no_video(server: Server) -> None:
    video = server.upload("bomb.mp4", b"PK\x03\x04" + bytes(5000))
    made = server.post("/projects", {"video": video, "text": STEPS})
    error = server.wait(f"/projects/{made['id']}", "failed")["error"]
    assert error.startswith("bomb.mp4 cannot be read as a video")
    assert str(server.state) not in error
    server.client.delete(f"/projects/{made['id']}")


def test_a_playlist_opens_no_other_file(server: Server) -> None:
    for text in ("ffconcat version 1.0\nfile 'pasta.mp4'\n", f"#EXTM3U\n#EXTINF:1,\n{server.folder}/pasta.mp4\n"):
        video = server.upload("list.mp4", text.encode())
        made = server.post("/projects", {"video": video, "text": STEPS})
        assert "playlist" in server.wait(f"/projects/{made['id']}", "failed")["error"]
        server.client.delete(f"/projects/{made['id']}")


def test_a_timeline_opens_no_other_file(server: Server) -> None:
    """Timelines name their video: as an upload they are texts, and nobody looks at what they name."""
    text = f'{{"schema": "saffa.timeline/2", "source": {{"path": "{server.folder}/pasta.mp4", "frames": 600}}}}'
    for name in ("timeline.json", "timeline.mp4"):
        made = server.post("/projects", {"video": server.upload(name, text.encode()), "text": STEPS})
        assert server.wait(f"/projects/{made['id']}", "failed")["error"].startswith(f"{name} ")
        assert server.client.get(f"/projects/{made['id']}/alignment").status_code == 409
        server.client.delete(f"/projects/{made['id']}")
