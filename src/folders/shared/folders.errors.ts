import { defineErrors } from '../../platform/errors/problem.js';

export const FolderErrors = defineErrors({
  folder_not_found: {
    status: 404,
    message: (folder: number | string) => `Folder ${folder} was not found in this workspace.`,
  },
  folder_entity_not_found: {
    status: 404,
    message: (type: string, id: number | string) => `No ${type} ${id} was found in this workspace.`,
  },
  folder_name_taken: {
    status: 400,
    message: (name: string) => `A folder named "${name}" exists at this level already.`,
  },
  folder_cycle: {
    status: 400,
    message: (id: number) => `Folder ${id} cannot be moved into itself or into a folder below it.`,
  },
  folder_not_empty: {
    status: 400,
    message: (id: number) => `Folder ${id} is not empty. Send "cascade": true to delete everything in it as well.`,
  },
  workspace_id_invalid: {
    status: 400,
    message: (id: number) => `Invalid workspace_id ${id}: the API key belongs to another workspace. Leave it out.`,
  },
});
