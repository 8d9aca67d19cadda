import type { EntityManager } from 'typeorm';

/** What the example data of `npm start` is called, so that the OpenAPI document can speak of it. */
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
/** What the document shows in place of the first sheet of its table. */
export const EXAMPLE_SHEET_ID = 'e0000000-0000-4000-8000-000000000002';
/** The latest of its traces. */
export const EXAMPLE_TRACE_ID = 'e0000000000040008000000000000008';
/** Its first span. */
export const EXAMPLE_SPAN_ID = 'e000000000000008';

/** Ids that the OpenAPI document shows, and those of the example data that a server has in their place. */
export interface ExampleIds<Name extends string> {
  ids: Readonly<Record<Name, string>>;
  /** What of the example data still exists in the first workspace. */
  read(manager: EntityManager, workspaceId: number): Promise<Partial<Record<Name, string>>>;
}
