import { ApiProperty } from '@nestjs/swagger';
import { BooleanField, DateTimeField, IntegerField, MAX_ID, TextField } from '../platform/http/fields.js';
import type { NewEnvVar, ShownEnvVar } from './env-var-store.js';

const MAX_KEY = 255;
const MAX_VALUE = 8192;
const SECRECY =
  'It is stored encrypted, and afterwards only its last four characters are shown: use long values for secrets.';

export class EnvVarPath {
  @IntegerField({ query: true, min: 1, max: MAX_ID })
  var_id: number;
}

export class CreateEnvVarRequest {
  @TextField({
    minLength: 1,
    maxLength: MAX_KEY,
    pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
    description: 'The name under which code finds it. Names such as PATH and LD_PRELOAD are reserved.',
    example: 'WEATHER_API_KEY',
  })
  key: string;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: MAX_VALUE,
    description: `Empty or left out for a variable whose value is filled in later. ${SECRECY}`,
    example: 'an-example-of-a-key-0123',
  })
  value?: string | null;
}

export class UpdateEnvVarRequest {
  @TextField({
    minLength: 1,
    maxLength: MAX_VALUE,
    description: `It cannot be empty. ${SECRECY}`,
    example: 'another-key-0123',
  })
  value: string;
}

export class EnvVarBody {
  @IntegerField()
  id: number;

  @TextField()
  key: string;

  @TextField({ nullable: true, description: 'The last four characters of the value; null while it is empty.' })
  value_suffix: string | null;

  @BooleanField({ description: 'True while nobody has given a value.' })
  is_empty: boolean;

  @DateTimeField()
  created_at: string;

  @DateTimeField()
  updated_at: string;
}

export class WorkspaceEnvVarBody extends EnvVarBody {
  @IntegerField()
  workspace_id: number;
}

export class WorkspaceEnvVarResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => WorkspaceEnvVarBody })
  workspace_env_var: WorkspaceEnvVarBody;
}

export class WorkspaceEnvVarsResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [WorkspaceEnvVarBody] })
  workspace_env_vars: WorkspaceEnvVarBody[];
}

export class EnvVarDeletedResponse {
  @ApiProperty({ example: true })
  success: true;
}

export const toNewEnvVar = ({ key, value }: CreateEnvVarRequest): NewEnvVar => ({ key, value: value ?? '' });

export function toEnvVarBody(variable: ShownEnvVar): EnvVarBody {
  return {
    id: variable.id,
    key: variable.key,
    value_suffix: variable.suffix,
    is_empty: variable.isEmpty,
    created_at: variable.createdAt.toISOString(),
    updated_at: variable.updatedAt.toISOString(),
  };
}

export const toWorkspaceEnvVarBody = (variable: ShownEnvVar): WorkspaceEnvVarBody => ({
  ...toEnvVarBody(variable),
  workspace_id: variable.workspaceId,
});
