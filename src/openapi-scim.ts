import { ScimErrorBody, SCIM_TYPE } from './scim/index.js';
import { componentOf } from './platform/http/fields.js';

type Content = Record<string, { schema?: object; example?: unknown }>;

export interface ScimOperation {
  requestBody?: { content?: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

/** Routes for identity providers answer the JSON of SCIM, errors included, and take it besides the usual one. */
export function describeScim(operation: ScimOperation): void {
  const { requestBody, responses } = operation;
  const body = requestBody?.content?.['application/json'];
  if (body) requestBody.content = { 'application/json': body, [SCIM_TYPE]: body };
  // SCIM has no 422: bodies that violate the schema get 400.
  delete responses['422'];
  for (const [status, response] of Object.entries(responses)) {
    const given = response.content?.['application/json'];
    if (given) {
      response.content = { [SCIM_TYPE]: status < '400' ? given : { schema: componentOf(ScimErrorBody.name) } };
    }
  }
}
