"""Owns what a page complains of while it is read: console, scripts, requests, foreign hosts.

Does not cover what the page shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Page, Request, Response

LOUD = {"error", "warning", "assert"}


def watch(page: Page, root: str) -> list[str]:
    """Note every trouble of the page from now on; the list grows while the page is used.

    Troubles are console errors and warnings, uncaught exceptions, requests that fail or answer
    with an error, and any request that leaves `root`.
    """
    troubles: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type in LOUD:
            where = message.location.get("url", "")
            troubles.append(f"console {message.type}: {message.text} ({where})")

    def on_request(request: Request) -> None:
        if not request.url.startswith((root, "data:", "blob:")):
            troubles.append(f"leaves the site: {request.url}")

    def on_response(response: Response) -> None:
        if response.status >= 400:
            troubles.append(f"answer {response.status}: {response.url}")

    def on_failure(request: Request) -> None:
        troubles.append(f"request failed: {request.url} ({request.failure})")

    page.on("console", on_console)
    page.on("pageerror", lambda error: troubles.append(f"page error: {error}"))
    page.on("request", on_request)
    page.on("response", on_response)
    page.on("requestfailed", on_failure)
    return troubles
