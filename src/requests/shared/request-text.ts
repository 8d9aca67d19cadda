/**
 * SQL expressions that read the texts of a request log from its `input` and `output` columns, which hold prompts as
 * JSON, and from its derived columns. They give the same results as the functions in `search/derived.ts`, except that a
 * document has its members in the order of the database. The answer is the last assistant message of the output.
 */
const MESSAGES = `'lax $.messages[*]'`;
const ANSWER = `(jsonb_path_query_array(output, 'lax $.messages[*] ? (@.role == "assistant")') -> -1)`;
const ANSWER_PLACE =
  `(SELECT max(said.place) FROM jsonb_path_query(output, ${MESSAGES}) WITH ORDINALITY AS said(message, place) ` +
  `WHERE said.message ->> 'role' = 'assistant')`;

/** Null when there is no text part. */
function partsOf(json: string): string {
  return (
    `(SELECT string_agg(part.content ->> 'text', '' ORDER BY part.place) ` +
    `FROM jsonb_path_query(${json}, 'lax $.content[*] ? (@.type == "text")') ` +
    `WITH ORDINALITY AS part(content, place))`
  );
}

/** Rows (side, message, place): all messages on both sides, or all but the answer. */
function turns(which: 'all' | 'before the answer'): string {
  const but = which === 'all' ? '' : ` WHERE said.place IS DISTINCT FROM ${ANSWER_PLACE}`;
  return (
    `(SELECT 1 AS side, said.* FROM jsonb_path_query(input, ${MESSAGES}) WITH ORDINALITY AS said(message, place) ` +
    `UNION ALL SELECT 2, said.* FROM jsonb_path_query(output, ${MESSAGES}) WITH ORDINALITY AS said(message, place)${but})`
  );
}

/** The text of each message through `wrap`, joined by the separator. */
function said(wrap: (text: string) => string, separator: string): string {
  return (
    `(SELECT string_agg(${wrap(`coalesce(${partsOf('turn.message')}, '')`)}, ${separator} ORDER BY turn.side, turn.place) ` +
    `FROM ${turns('before the answer')} AS turn)`
  );
}

const CONVERSATION = said((text) => `'[' || (turn.message ->> 'role') || ']: ' || ${text}`, `E'\\n\\n'`);

/** Every message but the answer as "[role]: text", a blank line between them; for a completion its prompt. */
export const INPUT_TEXT = `(CASE input ->> 'type' WHEN 'completion' THEN ${partsOf('input')} ELSE ${CONVERSATION} END)`;

/** The answer as it was reported; for a completion its text. */
const RAW_ANSWER = `coalesce(${partsOf('output')}, ${partsOf(ANSWER)})`;

/** Rows (path, item, rank) of all values inside the answer's data. The items of a list have its path. */
const DATA =
  `WITH RECURSIVE place(path, item, rank) AS (` +
  `SELECT top.key, top.value, ARRAY[top.n] FROM jsonb_each(output_data) WITH ORDINALITY AS top(key, value, n) ` +
  `UNION ALL SELECT inner_place.path, inner_place.item, inner_place.rank FROM place, LATERAL (` +
  `SELECT place.path || '.' || member.key, member.value, place.rank || member.n FROM jsonb_each(` +
  `CASE jsonb_typeof(place.item) WHEN 'object' THEN place.item END) WITH ORDINALITY AS member(key, value, n) ` +
  `UNION ALL SELECT place.path, element.value, place.rank || element.n FROM jsonb_array_elements(` +
  `CASE jsonb_typeof(place.item) WHEN 'array' THEN place.item END) WITH ORDINALITY AS element(value, n)` +
  `) AS inner_place(path, item, rank))`;
const SCALAR = `jsonb_typeof(place.item) NOT IN ('object', 'array')`;
const VALUE = `coalesce(place.item #>> '{}', 'null')`;
const DATA_LINES =
  `(${DATA} SELECT string_agg(place.path || ': ' || ${VALUE}, E'\\n' ORDER BY place.rank) ` +
  `FROM place WHERE ${SCALAR})`;
const CALL_LINES =
  `(${DATA} SELECT string_agg(${VALUE}, E'\\n' ORDER BY place.rank) ` +
  `FROM place WHERE ${SCALAR} AND place.path LIKE 'tool\\_calls.function.%')`;

/** The answer as it is, or a line "path: value" per value of its JSON, or its text and the values of its tool calls. */
export const OUTPUT_TEXT =
  `nullif(CASE output_shape WHEN 2 THEN ${DATA_LINES} ` +
  `WHEN 3 THEN concat_ws(E'\\n', nullif(${RAW_ANSWER}, ''), ${CALL_LINES}) ELSE ${RAW_ANSWER} END, '')`;

/** An answer that is JSON, as it was reported. People see it in this form. */
export const JSON_ANSWER = `(CASE output_shape WHEN 2 THEN ${RAW_ANSWER} END)`;

const THOUGHTS = `content[*] ? (@.type == "thinking").thinking ? (@.type() == "string")'`;

/** Thoughts of the model before its answer. */
export const THINKING_TEXT =
  `(SELECT string_agg(thought.text #>> '{}', E'\\n' ORDER BY thought.place) FROM jsonb_path_query(` +
  `CASE output ->> 'type' WHEN 'completion' THEN jsonb_build_object('messages', jsonb_build_array(output)) ELSE output END, ` +
  `'lax $.messages[*].${THOUGHTS}) WITH ORDINALITY AS thought(text, place))`;

/** The last message of the user. */
export const LAST_USER_MESSAGE =
  `(SELECT coalesce(${partsOf('turn.message')}, '') FROM ${turns('all')} AS turn ` +
  `WHERE turn.message ->> 'role' = 'user' ORDER BY turn.side DESC, turn.place DESC LIMIT 1)`;
