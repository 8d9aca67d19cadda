import type { EntityManager } from 'typeorm';

/** Names in the example data of `npm start`, so that the OpenAPI document can refer to them. */
export const EXAMPLE_TABLE = 'Support answers';
export const EXAMPLE_SHEET_TO_DELETE = 'Scratch';
export const EXAMPLE_TABLE_TO_DELETE = 'Old answers';
export const EXAMPLE_PROMPT = 'support-answer';
export const EXAMPLE_TOOL = 'multiply';
export const EXAMPLE_SKILLS = 'support-skills';
export const EXAMPLE_SKILLS_TO_DELETE = 'old-skills';
export const EXAMPLE_REPORT_TO_DELETE = 'Draft pipeline';
export const EXAMPLE_WORKFLOW = 'question-letter';
export const EXAMPLE_WORKFLOW_TO_DELETE = 'old-workflow';
/** The id of the first sheet in examples of the document. */
export const EXAMPLE_SHEET_ID = 'e0000000-0000-4000-8000-000000000002';
/** The id of the latest trace. */
export const EXAMPLE_TRACE_ID = 'e0000000000040008000000000000008';
/** The id of its first span. */
export const EXAMPLE_SPAN_ID = 'e000000000000008';

/** Ids in the OpenAPI document. A server shows those of its own example data instead. */
export interface ExampleIds<Name extends string> {
  ids: Readonly<Record<Name, string>>;
  /** Ids of the example data that still exist in the first workspace. */
  read(manager: EntityManager, workspaceId: number): Promise<Partial<Record<Name, string>>>;
}
