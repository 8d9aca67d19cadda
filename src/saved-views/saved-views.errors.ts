import { defineErrors } from '../platform/errors/problem.js';

export const SavedViewErrors = defineErrors({
  saved_view_not_found: { status: 404, message: (id: string) => `Saved view ${id} was not found in this workspace.` },
  saved_view_exists: {
    status: 409,
    message: (name: string, screen: string) =>
      `There is a saved view "${name}" of ${screen} already. Choose another name, or change that view with PATCH.`,
  },
  saved_view_too_many: {
    status: 409,
    message: (most: number) => `A workspace can have at most ${most} saved views. Delete one that is not used.`,
  },
  saved_view_needs_user: {
    status: 400,
    message: () =>
      'Private views belong to a user, and this service key has none. Use a session or a personal key, or share the view.',
  },
});
