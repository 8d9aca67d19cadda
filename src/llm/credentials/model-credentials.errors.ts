import { defineErrors } from '../../platform/errors/problem.js';

export const ModelCredentialErrors = defineErrors({
  model_credential_not_found: {
    status: 404,
    message: (id: number) => `Model credential ${id} was not found in this workspace.`,
  },
  model_credential_name_taken: {
    status: 409,
    message: (provider: string, name: string) =>
      `There is already a credential "${name}" of ${provider}. Change that one, or choose another name.`,
  },
  model_credential_too_many: {
    status: 409,
    message: (most: number) =>
      `A workspace can have ${most} model credentials. Delete one that is not needed any more.`,
  },
  model_credential_secret_needed: {
    status: 400,
    message: 'The secret was given for another server. Send it anew together with the new base_url.',
  },
  model_credential_invalid: { status: 400, message: (problem: string) => problem },
});
