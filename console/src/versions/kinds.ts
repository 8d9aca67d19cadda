import type { LabelChangeBody } from '../api/schema.gen';
import { promptPath } from '../prompts/links';
import { skillPath } from '../skills/links';
import { toolPath } from '../tools/links';
import { workflowPath } from '../workflows/links';

/** Kinds of items with versions and labels. */
export type VersionedKind = LabelChangeBody['kind'];

interface Kind {
  path: (id: string) => string;
  /** Permission for changing labels. */
  deploy: string;
  /** Subject of a sentence about the users of a label. */
  users: string;
  /** First words of the query keys of lists that show versions and labels. */
  lists: string[];
}

export const KINDS: Record<VersionedKind, Kind> = {
  prompt: {
    path: (id) => promptPath(Number(id)),
    deploy: 'PROMPT_DEPLOY',
    users: 'Applications that ask for',
    lists: ['prompts', 'prompt', 'prompt-labels', 'prompt-versions'],
  },
  tool: {
    path: (id) => toolPath(Number(id)),
    deploy: 'TOOL_DEPLOY',
    users: 'Prompts that refer to',
    lists: ['tools', 'tool'],
  },
  workflow: {
    path: (id) => workflowPath(Number(id)),
    deploy: 'WORKFLOW_DEPLOY',
    users: 'Runs that ask for',
    lists: ['workflows', 'workflow', 'workflow-versions', 'workflow-labels'],
  },
  skill_collection: {
    path: skillPath,
    deploy: 'SKILL_DEPLOY',
    users: 'Agents that ask for',
    lists: ['skills', 'skill', 'skill-versions'],
  },
};
