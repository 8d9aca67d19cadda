import { defineErrors } from '../platform/errors/problem.js';

interface Pair {
  source: string;
  external_id: string;
}

const name = ({ source, external_id }: Pair): string => `${source}/${external_id}`;
const brief = (message: string): object => ({ success: false, message });
const inUse = (pair: Pair): string => `The external ID ${name(pair)} is already used by another entity.`;

export const ExternalIdErrors = defineErrors({
  // Wherever it happens it has the brief shape, also on routes whose other errors have the standard one.
  external_id_in_use: { status: 409, message: inUse, body: (pair: Pair) => brief(inUse(pair)) },
  external_id_not_found: {
    status: 404,
    message: (pair: Pair) => `The external ID ${name(pair)} is not attached here.`,
  },
  external_id_holder_not_found: {
    status: 404,
    message: (type: string, id: string | number) => `No ${type} ${id} was found in this workspace.`,
  },
});
