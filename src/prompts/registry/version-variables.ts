import { withReach } from '../snippets/snippet-graph.js';

/** SQL for the names of the variables that a version of a prompt asks for, itself or through its snippets, as a text[]. */
export const variablesOf = (workspaceId: string, promptId: string, versionNumber: string): string =>
  `ARRAY(${withReach(workspaceId, promptId, versionNumber)}
    SELECT DISTINCT variable
      FROM reach
      JOIN prompt_versions v
        ON v.workspace_id = ${workspaceId} AND v.prompt_id = reach.prompt_id AND v.number = reach.version_number,
           json_array_elements_text(v.template -> 'input_variables') AS variable)`;
