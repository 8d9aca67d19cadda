import { defineErrors } from '../../platform/errors/problem.js';

export const TrackingErrors = defineErrors({
  request_group_not_found: {
    status: 404,
    message: (id: number) => `Group ${id} was not found in this workspace. Create one with POST /create-group.`,
  },
  request_metadata_excessive: {
    status: 400,
    message: (keys: number, characters: number) =>
      `With this the metadata added to the request log would have more than ${keys} keys or ${characters} characters of JSON.`,
  },
  prompt_version_ambiguous: { status: 400, message: 'Send either version or label, not both.' },
});
