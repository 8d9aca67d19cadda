import { defineErrors } from '../../platform/errors/problem.js';

export const PreviewErrors = defineErrors({
  column_not_previewable: {
    status: 400,
    message: (type: string) => `Cells of the type ${type} are not computed, so there is nothing to try.`,
  },
  previews_exceeded: {
    status: 429,
    message: (limit: number) =>
      `This workspace has ${limit} columns that are being tried. Try again when one of them has ended.`,
    headers: { 'retry-after': '2' },
  },
  preview_stopped: {
    status: 503,
    message: 'The server is stopping. Nothing was stored; please retry.',
    headers: { 'retry-after': '5' },
  },
});
