/** What the example data of `npm start` is called, so that the OpenAPI document can speak of it. */
export const EXAMPLE_TABLE = 'Support answers';
export const EXAMPLE_PROMPT = 'support-answer';
/** The latest of its traces. */
export const EXAMPLE_TRACE_ID = 'e0000000000040008000000000000008';
