import { defineErrors } from '../../platform/errors/problem.js';

export const LoggingErrors = defineErrors({
  call_not_storable: {
    status: 400,
    message: (reason: string) => `The database does not accept this call: ${reason}`,
  },
});
