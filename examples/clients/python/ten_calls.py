"""Ten calls with a client that openapi-python-client made from the API document.

docs/how-to/clients.md says how to make it. The address and the key are read from the environment.
"""

import os
import time

from tracesheet_client import AuthenticatedClient
from tracesheet_client.api.ingestion import log_request_log
from tracesheet_client.api.prompts import prompts_read, publishing_publish, rendering_render
from tracesheet_client.api.request_logs import request_search_search, tracking_track_score
from tracesheet_client.api.rows import rows_add, rows_list
from tracesheet_client.api.sheets import new_sheets_create
from tracesheet_client.api.columns import columns_create
from tracesheet_client.api.tables import tables_create
from tracesheet_client.api.traces import trace_search_list
from tracesheet_client.models import (
    AddRowsRequest,
    ChatPrompt,
    CreateColumnRequest,
    CreateSheetRequest,
    CreateTableRequest,
    LogRequestRequest,
    PublishPromptRequest,
    RenderPromptRequest,
    SearchRequestLogsRequest,
    TrackScoreRequest,
    UserMessage,
)

client = AuthenticatedClient(
    base_url=os.environ["TRACESHEET_URL"],
    token=os.environ["TRACESHEET_API_KEY"],
    auth_header_name="X-API-KEY",
    prefix="",
    # Without it an answer whose status is not documented would be None.
    raise_on_unexpected_status=True,
)


def text(role, words):
    return {"role": role, "content": [{"type": "text", "text": words}]}


# 1. Log a call of a model.
now = time.time()
logged = log_request_log.sync(
    client=client,
    body=LogRequestRequest.from_dict(
        {
            "provider": "openai",
            "model": "gpt-4o-mini",
            "input": {"type": "chat", "messages": [text("user", "May I return a python?")]},
            "output": {"type": "chat", "messages": [text("assistant", "Within 30 days.")]},
            "request_start_time": now - 1,
            "request_end_time": now,
        }
    ),
)
print("logged", logged.id)

# 2. Score it.
scored = tracking_track_score.sync(client=client, body=TrackScoreRequest(request_id=logged.id, score=90))
assert scored.success

# 3. Find it by a word.
found = request_search_search.sync(client=client, body=SearchRequestLogsRequest(q="python", per_page=5))
assert logged.id in [int(log.id) for log in found.items], found
print("found", found.total)

# 4. Publish a prompt: a model may use a tool, and its messages hold other things than text.
published = publishing_publish.sync(
    client=client,
    body=PublishPromptRequest.from_dict(
        {
            "prompt_template": {"prompt_name": "returns"},
            "prompt_version": {
                "prompt_template": {
                    "type": "chat",
                    "messages": [
                        text("system", "You answer questions about returns."),
                        {
                            "role": "user",
                            "content": [
                                {"type": "text", "text": "May I return {item}?"},
                                {"type": "image_url", "image_url": {"url": "https://example.com/receipt.png"}},
                            ],
                        },
                    ],
                    "tools": [{"type": "function", "function": {"name": "find_order", "description": "Finds an order."}}],
                },
                "metadata": {"model": {"provider": "openai", "name": "gpt-4o-mini", "parameters": {"temperature": 0}}},
            },
        }
    ),
)
print("published version", published.version_number)

# 5. Read it.
prompt = prompts_read.sync("returns", client=client)
assert isinstance(prompt.prompt_template, ChatPrompt)

# 6. Render it with values for its variables.
rendered = rendering_render.sync(
    "returns", client=client, body=RenderPromptRequest.from_dict({"input_variables": {"item": "an umbrella"}})
)
message = rendered.prompt_template.messages[1]
assert isinstance(message, UserMessage), message
assert message.content[0].text == "May I return an umbrella?", message
assert message.content[1].image_url.url == "https://example.com/receipt.png", message
print("rendered", rendered.llm_kwargs["messages"][0])

# 7. Create a table, with a second sheet.
table = tables_create.sync(client=client, body=CreateTableRequest(title="Returns")).table.id
sheet = new_sheets_create.sync(table, client=client, body=CreateSheetRequest(title="Questions")).sheet.id
columns_create.sync(table, sheet, client=client, body=CreateColumnRequest(title="Question"))

# 8. Add rows.
added = rows_add.sync(
    table,
    sheet,
    client=client,
    body=AddRowsRequest.from_dict({"count": 2, "values": [{"Question": "May I return it?"}, {"Question": "When?"}]}),
)
assert added.success

# 9. Read the cells.
rows = rows_list.sync(table, sheet, client=client)
values = [cell.value for row in rows.data for cell in row.cells.additional_properties.values()]
assert "When?" in values, values
print("cells", values)

# 10. List traces.
traces = trace_search_list.sync(client=client)
print("Ten calls were made; there are", traces.total, "traces.")
