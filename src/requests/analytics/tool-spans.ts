/** Number of matching logs, the newest ones, whose traces are read. */
const MOST_CALLS = 10_000;

/** Attributes that name the tool of a span, the most reliable first. */
const NAME_KEYS = ['gen_ai.tool.name', 'tool.name', 'tool_name', 'ai.toolCall.name'];

/**
 * Two common table expressions over `matching` and `entries`: the durations of the listed tools. A span counts for a
 * tool when it has the tool's name and belongs to a trace in which a matching log calls that tool. It counts once,
 * however many logs of the trace do. `workspace` is a placeholder.
 */
export function toolSpans(workspace: string, longestList: number): string {
  return `called_tools AS MATERIALIZED (
    SELECT DISTINCT trace_id, tool COLLATE "C" AS tool
    FROM (SELECT trace_id, tool_names FROM matching WHERE trace_id IS NOT NULL AND tool_names <> '{}'
      ORDER BY started DESC, id DESC LIMIT ${MOST_CALLS}) AS calls, unnest(tool_names) AS tool
    WHERE tool IN (SELECT name FROM entries WHERE kind = 'tool' AND place <= ${longestList})),
  tool_spans AS MATERIALIZED (
    SELECT ran.tool AS name, avg(seconds) AS average, min(seconds) AS shortest, max(seconds) AS longest
    FROM (SELECT DISTINCT trace_id FROM called_tools) AS traces,
      LATERAL (${spansOfTrace(workspace)}) AS ran
    JOIN called_tools ON called_tools.trace_id = ran.trace_id AND called_tools.tool = ran.tool
    GROUP BY ran.tool)`;
}

/** OFFSET 0 prevents the planner from reading every span of the workspace: it cannot know that the traces are few. */
function spansOfTrace(workspace: string): string {
  const named = NAME_KEYS.map((key) => `attributes ->> '${key}'`).join(', ');
  return `
    SELECT trace_id, greatest(0, end_ns - start_ns) / 1e9::float8 AS seconds,
      coalesce(${named}, substring(name FROM '^Tool: (.+)$'),
        CASE WHEN span_type = 'TOOL' THEN coalesce(attributes ->> 'traceloop.entity.name', name) END) COLLATE "C" AS tool
    FROM spans
    WHERE workspace_id = ${workspace} AND trace_id = traces.trace_id AND request_log_id IS NULL AND end_ns IS NOT NULL
    OFFSET 0`;
}
