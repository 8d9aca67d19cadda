import { isObject, type JsonValue } from '../../platform/json.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';

/** Difference between a column type of reports and the type of sheets with the same name. */
interface ReportColumnType {
  /** Converts the value of a cell to the one that reports show. */
  show?: (value: JsonValue) => JsonValue;
}

/**
 * Types of columns in pipelines. Their configurations are those of the column types of sheets, which also accept the keys of the
 * earlier reference pages. A type without a plugin is accepted, too, and its cells fail with a message.
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

/** Type of columns of the dataset in the API. */
export const DATASET_TYPE = 'DATASET';

/** Finds a type by its name in any letter case. Throws report_column_type_unknown. */
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

/** Reduces verdicts to booleans: one for a single question, or one for each question. Sheets keep the reasons as well. */
function withoutReasons(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const verdicts = Object.entries(value).map(([question, verdict]): [string, JsonValue] => [
    question,
    isObject(verdict) ? (verdict.value ?? null) : verdict,
  ]);
  return verdicts.length === 1 ? verdicts[0]![1] : Object.fromEntries(verdicts);
}
