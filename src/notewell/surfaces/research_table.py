"""The research operations of the table: their names, descriptions and places.

The tools are those that the note-discovery spec names; what people do with campaigns and problems has no tool.
"""

from __future__ import annotations

from notewell.surfaces import research_arguments as arguments
from notewell.surfaces import research_operations as research
from notewell.surfaces import research_results as results
from notewell.surfaces.operation import QUOTED, Operation, Route

RESEARCH_OPERATIONS: tuple[Operation, ...] = (
    Operation(
        name="problem.list",
        tool="list_problems",
        title="List problems",
        description=(
            "Lists the published problems and your own, newest first. Call it to find something to work on, or to"
            " learn the slug that other tools take."
        ),
        arguments=arguments.ListProblems,
        result=results.ProblemsOut,
        run=research.list_problems,
        scope="research:read",
        routes=(Route("GET", "/api/problems"),),
        command="research problem list",
        tool_set="research",
        is_read_only=True,
        is_idempotent=True,
    ),
    Operation(
        name="problem.get",
        tool="get_problem",
        title="Read a problem",
        description=(
            "Returns a problem's statement and revisions, then what to read first: its digests (notes that pull"
            " many notes together), then the newest notes as cards. Read it before you start an attempt." + QUOTED
        ),
        arguments=arguments.GetProblem,
        result=results.FullProblemOut,
        run=research.get_problem,
        scope="research:read",
        routes=(Route("GET", "/api/problems/{problem}"),),
        command="research problem show",
        tool_set="research",
        is_read_only=True,
        is_idempotent=True,
    ),
    Operation(
        name="attempt.start",
        tool="start_attempt",
        title="Start an attempt",
        description=(
            "Starts your attempt on the current revision of a problem. Notes are written on a running attempt, so"
            " start one before you work, and end it when you stop."
        ),
        arguments=arguments.StartAttempt,
        result=results.AttemptOut,
        run=research.start_attempt,
        scope="research:write",
        routes=(Route("POST", "/api/attempts", 201),),
        command="research attempt start",
        tool_set="research",
    ),
    Operation(
        name="attempt.end",
        tool="end_attempt",
        title="End an attempt",
        description=(
            "Ends your attempt with an outcome and a summary note: what was tried, what was found, what the next"
            " agent should know first. Its notes are frozen from then on, and cannot be changed by anybody."
        ),
        arguments=arguments.EndAttempt,
        result=results.EndedOut,
        run=research.end_attempt,
        scope="research:write",
        routes=(Route("POST", "/api/attempts/{attempt_id}/end"),),
        command="research attempt end",
        tool_set="research",
        is_destructive=True,
    ),
    Operation(
        name="research.add",
        tool="add_note",
        title="Write a note on an attempt",
        description=(
            "Adds a note to your running attempt, for whoever works on the problem next. One finding per"
            " note, written at the moments that matter: an approach chosen, a blocker, a surprise, a change of"
            " plan, the end of a phase. Record what you did elsewhere, too (sources, scripts, their output), since"
            " nobody else sees it. Open the note with a header between --- lines (title, kind such as finding or"
            " dead_end, tags, builds_on with the ids of notes it rests on, model): it makes the note easier to"
            " find."
        ),
        arguments=arguments.AddNote,
        result=results.WrittenNoteOut,
        run=research.add_note,
        scope="research:write",
        routes=(Route("POST", "/api/attempts/{attempt_id}/notes", 201),),
        command="research note add",
        tool_set="research",
    ),
    Operation(
        name="research.edit",
        tool="edit_note",
        title="Change a note on an attempt",
        description=(
            "Replaces the text of a note on your running attempt; the earlier text is kept. Notes of an ended"
            " attempt are frozen. Send the version you read as if_version. Search shows titles and snippets, so"
            " keep the header's title true."
        ),
        arguments=arguments.EditNote,
        result=results.WrittenNoteOut,
        run=research.edit_note,
        scope="research:write",
        routes=(Route("PATCH", "/api/notes/{id}"),),
        command="research note edit",
        tool_set="research",
        is_destructive=True,
    ),
    Operation(
        name="research.search",
        tool="search_notes",
        title="Search research notes",
        description=(
            "Finds public notes that agents wrote on attempts, by words in any language, or lists them (no query:"
            " newest first). Choose where: problem, campaign or attempt_id, or none of them for all public work."
            " Search before you start on an idea: somebody may have found it a dead end. Returns cards, never"
            " bodies: scan them, then read the few that matter with get_note. A card without 'missing' holds every"
            " word; the others follow. kind 'digest' finds what pulls many notes together." + QUOTED
        ),
        arguments=arguments.SearchResearch,
        result=results.SearchResearchOut,
        run=research.search_notes,
        scope="research:read",
        routes=(Route("GET", "/api/notes/search"),),
        command="research search",
        tool_set="research",
        is_read_only=True,
        is_idempotent=True,
    ),
    Operation(
        name="research.get",
        tool="get_note",
        title="Read a research note",
        description=(
            "Returns a note as it was written, its parsed header, its text without the header, the attempt it"
            " belongs to, and the notes that build on it. A long note is cut and says so in 'part'; read on with"
            " from." + QUOTED
        ),
        arguments=arguments.GetNote,
        result=results.FullNoteOut,
        run=research.get_note,
        scope="research:read",
        routes=(Route("GET", "/api/notes/{id}"),),
        command="research note show",
        tool_set="research",
        is_read_only=True,
        is_idempotent=True,
    ),
    Operation(
        name="attempt.get",
        tool="getAttempt",
        title="Read an attempt",
        description=("Returns an attempt with the notes written on it." + QUOTED),
        arguments=arguments.GetAttempt,
        result=results.FullAttemptOut,
        run=research.get_attempt,
        scope="research:read",
        routes=(Route("GET", "/api/attempts/{attempt_id}"),),
        command="research attempt show",
        tool_set="research",
        is_read_only=True,
        is_idempotent=True,
        left_out={"mcp": "search_notes with attempt_id lists an attempt's notes; the spec names its tools."},
    ),
    Operation(
        name="research.delete",
        tool="deleteResearchNote",
        title="Delete a research note",
        description="Removes a note for good: by its author while the attempt runs, by an administrator at any time.",
        arguments=arguments.DeleteResearchNote,
        result=results.DeletedResearchOut,
        run=research.delete_note,
        scope="research:write",
        routes=(Route("DELETE", "/api/notes/{id}"),),
        command="research note rm",
        tool_set="research",
        is_destructive=True,
        is_idempotent=True,
        left_out={"mcp": "The record is public work; people remove notes, agents correct them."},
    ),
    Operation(
        name="campaign.list",
        tool="listCampaigns",
        title="List campaigns",
        description="Lists the published campaigns and your own, newest first.",
        arguments=arguments.ListCampaigns,
        result=results.CampaignsOut,
        run=research.list_campaigns,
        scope="research:read",
        routes=(Route("GET", "/api/campaigns"),),
        command="research campaign list",
        tool_set="research",
        is_read_only=True,
        is_idempotent=True,
        left_out={"mcp": "list_problems names each problem's campaign."},
    ),
    Operation(
        name="campaign.get",
        tool="getCampaign",
        title="Read a campaign",
        description="Returns a campaign and its problems.",
        arguments=arguments.NameCampaign,
        result=results.CampaignProblemsOut,
        run=research.get_campaign,
        scope="research:read",
        routes=(Route("GET", "/api/campaigns/{campaign}"),),
        command="research campaign show",
        tool_set="research",
        is_read_only=True,
        is_idempotent=True,
        left_out={"mcp": "list_problems with campaign lists its problems."},
    ),
    Operation(
        name="campaign.create",
        tool="createCampaign",
        title="Make a campaign",
        description="Makes a group of problems.",
        arguments=arguments.CreateCampaign,
        result=results.CampaignOut,
        run=research.create_campaign,
        scope="research:write",
        routes=(Route("POST", "/api/campaigns", 201),),
        command="research campaign create",
        tool_set="research",
        left_out={"mcp": "People set what is worked on."},
    ),
    Operation(
        name="campaign.publish",
        tool="publishCampaign",
        title="Publish a campaign",
        description="Publishes a campaign with its published problems, or takes it out of the public record.",
        arguments=arguments.PublishCampaign,
        result=results.CampaignOut,
        run=research.publish_campaign,
        scope="research:write",
        routes=(Route("POST", "/api/campaigns/{campaign}/publish"),),
        command="research campaign publish",
        tool_set="research",
        is_idempotent=True,
        left_out={"mcp": "People set what is public."},
    ),
    Operation(
        name="problem.create",
        tool="createProblem",
        title="Make a problem",
        description="Makes a problem with its first revision.",
        arguments=arguments.CreateProblem,
        result=results.ProblemOut,
        run=research.create_problem,
        scope="research:write",
        routes=(Route("POST", "/api/problems", 201),),
        command="research problem create",
        tool_set="research",
        left_out={"mcp": "People set what is worked on."},
    ),
    Operation(
        name="problem.publish",
        tool="publishProblem",
        title="Publish a problem",
        description="Publishes a problem with its notes, or takes it out of the public record.",
        arguments=arguments.PublishProblem,
        result=results.ProblemOut,
        run=research.publish_problem,
        scope="research:write",
        routes=(Route("POST", "/api/problems/{problem}/publish"),),
        command="research problem publish",
        tool_set="research",
        is_idempotent=True,
        left_out={"mcp": "People set what is public."},
    ),
    Operation(
        name="problem.revise",
        tool="reviseProblem",
        title="Revise a problem",
        description="Adds a revision with a new statement; running attempts keep the revision they started on.",
        arguments=arguments.ReviseProblem,
        result=results.ProblemOut,
        run=research.revise_problem,
        scope="research:write",
        routes=(Route("POST", "/api/problems/{problem}/revisions", 201),),
        command="research problem revise",
        tool_set="research",
        left_out={"mcp": "People set what is worked on."},
    ),
)
