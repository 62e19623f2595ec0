"""``/campaigns/{slug or id}``: a campaign, its problems, and for its owner whether it is published."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from notewell.errors import NotFound
from notewell.services import research
from notewell.services.retry import persistently
from notewell.surfaces.web.research_view import may_change
from notewell.surfaces.web.shell import Confirmation, Web


def routes(web: Web) -> list[Route]:
    """The page, and the change of what it shows to whom."""
    store = web.app.store

    def show(request: Request) -> Response:
        viewer = web.viewer(request)
        campaign, problems = research.campaign(store, viewer, request.path_params["reference"])
        return web.render(
            request,
            "research/campaign.html",
            campaign=campaign,
            problems=problems,
            may_change=may_change(viewer, campaign.owner_id),
        )

    def ask(request: Request) -> Response:
        actor = web.actor(request)
        campaign, problems = research.campaign(store, actor, request.path_params["reference"])
        if not may_change(actor, campaign.owner_id):
            raise NotFound("There is nothing of yours to publish here.")
        t = web.texts(request, "research")
        path = f"/campaigns/{campaign.slug}"
        is_out = campaign.is_published
        return web.confirm(
            request,
            Confirmation(
                t("unpublish_title" if is_out else "publish_title", title=campaign.title),
                t("campaign_unpublish_message" if is_out else "campaign_publish_message", count=len(problems)),
                t("unpublish" if is_out else "publish"),
                f"{path}/publish",
                path,
                (("published", "" if is_out else "1"),),
            ),
        )

    def publish(request: Request) -> Response:
        actor, is_published = web.actor(request), web.form(request).is_on("published")
        reference = request.path_params["reference"]
        changed = persistently(lambda: research.publish_campaign(store, actor, reference, is_published=is_published))
        notice = "research.published_now" if is_published else "research.unpublished_now"
        return web.redirect(request, f"/campaigns/{changed.slug}", notice)

    return [
        web.get("/campaigns/{reference}", show),
        web.get("/campaigns/{reference}/publish", ask),
        web.post("/campaigns/{reference}/publish", publish),
    ]
