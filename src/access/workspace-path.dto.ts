import { IntegerField, MAX_ID } from '../platform/http/fields.js';

export class WorkspacePath {
  @IntegerField({
    query: true,
    min: 1,
    max: MAX_ID,
    description:
      'The id of the workspace. An API key reaches only its own workspace; for any other it gets 404. The operator reaches all of them.',
    example: 1,
  })
  workspace_id: number;
}
