import { defineErrors } from '../../platform/errors/problem.js';

export const TrackingErrors = defineErrors({
  request_group_not_found: {
    status: 404,
    message: (id: number) => `Group ${id} was not found in this workspace. Create one with POST /create-group.`,
  },
  request_metadata_excessive: {
    status: 400,
    message: (keys: number, characters: number) =>
      `A request log takes up to ${keys} keys and ${characters} characters of JSON as added metadata, and this would be more.`,
  },
  request_tags_excessive: {
    status: 400,
    message: (tags: number, characters: number) =>
      `A request log takes up to ${tags} tags, and changes of up to ${characters} characters of JSON, and this would be more.`,
  },
  prompt_version_ambiguous: { status: 400, message: 'Send either version or label, not both.' },
});
