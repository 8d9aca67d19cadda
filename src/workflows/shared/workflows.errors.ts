import { z } from 'zod';
import { defineErrors } from '../../platform/errors/problem.js';

/** Maximum number of faults in one message. */
const TOLD = 5;

/** The first faults, each a sentence, and how many more there are. */
export function describeFaults(faults: string[]): string {
  const more = faults.length - TOLD;
  const told = faults.slice(0, TOLD).join(' ');
  return more > 0 ? `${told} There are ${more} more faults.` : told;
}

z.object({
  success: z.literal(false).meta({ description: 'Always false.' }),
  message: z.string().meta({ description: 'The first faults, and how many more there are.' }),
  error: z.string().meta({ description: 'A stable error code for programs.', example: 'workflow_invalid' }),
  faults: z
    .array(z.string())
    .meta({ description: 'All faults, a sentence or two each, which name the node or the edge.' }),
}).meta({ id: 'WorkflowInvalidBody' });

export const WorkflowErrors = defineErrors({
  workflow_not_found: {
    status: 404,
    message: (identifier: string | number) => `Workflow ${identifier} was not found in this workspace.`,
  },
  workflow_version_not_found: {
    status: 404,
    message: (workflow: string, version: number) => `Workflow ${workflow} has no version ${version}.`,
  },
  workflow_label_not_found: {
    status: 404,
    message: (workflow: string, label: string) => `Workflow ${workflow} has no release label ${label}.`,
  },
  workflow_version_ambiguous: {
    status: 400,
    message: 'Send either the number of a version or a label, not both.',
  },
  workflow_unnamed: {
    status: 400,
    message: 'Send name for a new workflow, or workflow_id or workflow_name for a new version of one.',
  },
  workflow_named_twice: {
    status: 400,
    message:
      'name is for a new workflow: it cannot be combined with workflow_id or workflow_name, which are for a new version of one.',
  },
  workflow_identifiers_differ: {
    status: 400,
    message: (id: number, name: string) => `Workflow ${id} is not named "${name}". Send one of the two.`,
  },
  workflow_name_taken: {
    status: 400,
    message: (name: string) =>
      `There is a workflow named "${name}" already. Send workflow_name for a new version of it, or choose another name.`,
  },
  workflow_invalid: {
    status: 400,
    message: (problems: string[]) => describeFaults(problems),
    bodySchema: 'WorkflowInvalidBody',
    body: (faults: string[]) => ({
      success: false,
      message: describeFaults(faults),
      error: 'workflow_invalid',
      faults,
    }),
  },
});
