/**
 * SQL expressions that read the texts of a request log out of its `input` and `output` columns, which hold prompts as
 * JSON. The answer is the last assistant message of the output; everything before it counts as input.
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

const CONVERSATION =
  `(SELECT string_agg('[' || (turn.message ->> 'role') || ']: ' || coalesce(${partsOf('turn.message')}, ''), ` +
  `E'\\n\\n' ORDER BY turn.side, turn.place) FROM (` +
  `SELECT 1 AS side, said.* FROM jsonb_path_query(input, ${MESSAGES}) WITH ORDINALITY AS said(message, place) ` +
  `UNION ALL ` +
  `SELECT 2, said.* FROM jsonb_path_query(output, ${MESSAGES}) WITH ORDINALITY AS said(message, place) ` +
  `WHERE said.place IS DISTINCT FROM ${ANSWER_PLACE}) AS turn)`;

/** Every message but the answer as "[role]: text", a blank line between them; for a completion its prompt. */
export const INPUT_TEXT = `(CASE input ->> 'type' WHEN 'completion' THEN ${partsOf('input')} ELSE ${CONVERSATION} END)`;

const CALL_TEXTS = `'lax $.tool_calls[*].function.keyvalue() ? (@.key == "name" || @.key == "arguments").value'`;

/** The text of the answer, then the name and the arguments (as JSON text) of each of its tool calls, a line each. */
export const OUTPUT_TEXT =
  `nullif(concat_ws(E'\\n', ${partsOf('output')}, ${partsOf(ANSWER)}, ` +
  `(SELECT string_agg(call.content #>> '{}', E'\\n' ORDER BY call.place) ` +
  `FROM jsonb_path_query(${ANSWER}, ${CALL_TEXTS}) WITH ORDINALITY AS call(content, place))), '')`;

/** The functions that the answer calls, a text[] that may repeat. */
export const TOOL_NAMES =
  `ARRAY(SELECT call.name #>> '{}' FROM jsonb_path_query(${ANSWER}, 'lax $.tool_calls[*].function.name') ` +
  `AS call(name))`;

/** Never null. */
export const IS_TOOL_CALL = `coalesce(jsonb_path_exists(${ANSWER}, 'lax $.tool_calls[*] ? (@.type() == "object")'), FALSE)`;

const TEXT_PARTS = `content[*] ? (@.type == "text").text'`;

/** Every text of the call, a line each and without roles, so that words of neighbouring parts stay apart. */
export const WORDS_OF_CALL =
  `(SELECT string_agg(piece.content #>> '{}', E'\\n') FROM (` +
  ['input', 'output']
    .flatMap((column) => [`${column}, 'lax $.messages[*].${TEXT_PARTS}`, `${column}, 'lax $.${TEXT_PARTS}`])
    .concat(`${ANSWER}, ${CALL_TEXTS}`)
    .map((search) => `SELECT jsonb_path_query(${search})`)
    .join(' UNION ALL ') +
  `) AS piece(content))`;
