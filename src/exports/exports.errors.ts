import { defineErrors } from '../platform/errors/problem.js';

export const ExportErrors = defineErrors({
  export_not_found: { status: 404, message: (id: string) => `Export ${id} was not found in this workspace.` },
  export_column_unknown: {
    status: 400,
    message: (name: string, source: string, known: readonly string[]) =>
      `There is no column "${name.slice(0, 60)}" in exports of ${source}. Known: ${known.join(', ')}.`,
  },
  export_too_many: {
    status: 409,
    message: (most: number) => `Up to ${most} exports of a workspace may wait or run at once. Try again later.`,
  },
  export_not_ready: {
    status: 409,
    message: (id: string, status: string) => `Export ${id} has no file: it is ${status}.`,
  },
  export_expired: { status: 410, message: (id: string) => `The file of export ${id} has expired. Export again.` },
});
