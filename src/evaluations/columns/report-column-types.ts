import { isObject, type JsonValue } from '../../platform/json.js';
import { EvaluationErrors } from '../evaluations.errors.js';

/** How a type of the columns of reports differs from the type of the same name that sheets have. */
interface ReportColumnType {
  /** What reports show in place of the value of a cell. */
  show?: (value: JsonValue) => JsonValue;
}

/**
 * The types that columns of pipelines may have. Their configurations are those of the column types of sheets, which take the keys of
 * the earlier reference pages as well, so nothing is translated and reports show what they were given. A type that the server
 * has no plugin for is taken all the same, and its cells say so.
 */
const TYPES: Record<string, ReportColumnType> = {
  ABSOLUTE_NUMERIC_DISTANCE: {},
  AI_DATA_EXTRACTION: {},
  APPLY_DIFF: {},
  ASSERT_VALID: {},
  COALESCE: {},
  CODE_EXECUTION: {},
  CODING_AGENT: {},
  COMBINE_COLUMNS: {},
  COMPARE: {},
  CONTAINS: {},
  CONVERSATION_SIMULATOR: {},
  COSINE_SIMILARITY: {},
  COUNT: {},
  ENDPOINT: {},
  HUMAN: {},
  JSON_PATH: {},
  LLM_ASSERTION: { show: withoutReasons },
  MATH_OPERATOR: {},
  MCP: {},
  MIN_MAX: {},
  PARSE_VALUE: {},
  PROMPT_TEMPLATE: {},
  REGEX: {},
  REGEX_EXTRACTION: {},
  VARIABLE: {},
  WORKFLOW: {},
  XML_PATH: {},
};

export const REPORT_COLUMN_TYPES = Object.keys(TYPES);

/** What the API calls a column of the dataset. */
export const DATASET_TYPE = 'DATASET';

/** The type that a caller means, in any letter case. Throws report_column_type_unknown. */
export function toReportColumnType(name: string): string {
  const type = name.toUpperCase();
  if (!Object.hasOwn(TYPES, type)) throw EvaluationErrors.report_column_type_unknown(name, REPORT_COLUMN_TYPES);
  return type;
}

/** The value of a cell as reports show it. */
export function shownValue(type: string, value: JsonValue): JsonValue {
  const { show } = TYPES[type] ?? {};
  return show ? show(value) : value;
}

/** Whether it holds, for one question; for several, whether each of them does. Sheets keep the reasons as well. */
function withoutReasons(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const verdicts = Object.entries(value).map(([question, verdict]): [string, JsonValue] => [
    question,
    isObject(verdict) ? (verdict.value ?? null) : verdict,
  ]);
  return verdicts.length === 1 ? verdicts[0]![1] : Object.fromEntries(verdicts);
}
