export {
  CreateEnvVarRequest,
  EnvVarBody,
  EnvVarDeletedResponse,
  EnvVarPath,
  toEnvVarBody,
  toNewEnvVar,
  UpdateEnvVarRequest,
} from './env-vars.dto.js';
export { EnvVarStore, type NewEnvVar, type ShownEnvVar } from './env-var-store.js';
export { EnvVarErrors } from './env-vars.errors.js';
export { EnvVarsModule } from './env-vars.module.js';
