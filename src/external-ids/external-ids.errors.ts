import { defineErrors } from '../platform/errors/problem.js';

const inUse = (source: string, externalId: string): string =>
  `The external ID ${source}/${externalId} is already used by another entity.`;

export const ExternalIdErrors = defineErrors({
  // Always has the brief shape, also on routes whose other errors have the standard shape.
  external_id_in_use: {
    status: 409,
    message: (source: string, externalId: string) => inUse(source, externalId),
    bodySchema: 'BriefErrorBody',
    body: (source: string, externalId: string) => ({ success: false, message: inUse(source, externalId) }),
  },
  external_id_not_found: {
    status: 404,
    message: (source: string, externalId: string) => `The external ID ${source}/${externalId} is not attached here.`,
  },
  external_id_holder_not_found: {
    status: 404,
    message: (type: string, id: string | number) => `No ${type} ${id} was found in this workspace.`,
  },
});
