import { ApiProperty } from '@nestjs/swagger';
import {
  CreatedAtField,
  PathIdField,
  SuccessField,
  UpdatedAtField,
  WorkspaceIdField,
} from '../platform/http/common-fields.js';
import { BooleanField, IntegerField, TextField } from '../platform/http/fields.js';
import type { NewEnvVar, ShownEnvVar } from './env-var-store.js';

const MAX_KEY = 255;
const MAX_VALUE = 8192;
const SECRECY =
  'It is stored encrypted, and only its last four characters are ever shown: use long values for secrets.';

export class EnvVarPath {
  @PathIdField('The id of the variable, from the list of variables.')
  var_id: number;
}

export class CreateEnvVarRequest {
  @TextField({
    minLength: 1,
    maxLength: MAX_KEY,
    pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
    description: 'The name of the variable: letters, digits and `_`. Names such as PATH and LD_PRELOAD are reserved.',
    example: 'WEATHER_API_KEY',
  })
  key: string;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: MAX_VALUE,
    description: `The value. Empty or missing for a variable that gets its value later. ${SECRECY}`,
    example: 'an-example-of-a-key-0123',
  })
  value?: string | null;
}

export class UpdateEnvVarRequest {
  @TextField({
    minLength: 1,
    maxLength: MAX_VALUE,
    description: `The new value, which cannot be empty. ${SECRECY}`,
    example: 'another-key-0123',
  })
  value: string;
}

export class EnvVarBody {
  @IntegerField({ description: 'The id of the variable.' })
  id: number;

  @TextField({ description: 'The name under which code finds the variable.' })
  key: string;

  @TextField({ nullable: true, description: 'The last four characters of the value; null while the value is empty.' })
  value_suffix: string | null;

  @BooleanField({ description: 'True while the variable has no value.' })
  is_empty: boolean;

  @CreatedAtField('the variable')
  created_at: string;

  @UpdatedAtField('the variable')
  updated_at: string;
}

export class WorkspaceEnvVarBody extends EnvVarBody {
  @WorkspaceIdField()
  workspace_id: number;
}

export class WorkspaceEnvVarResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => WorkspaceEnvVarBody,
    description: 'The variable as it is after the request, without its value.',
  })
  workspace_env_var: WorkspaceEnvVarBody;
}

export class WorkspaceEnvVarsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [WorkspaceEnvVarBody], description: 'The variables of the workspace, by name.' })
  workspace_env_vars: WorkspaceEnvVarBody[];
}

export class EnvVarDeletedResponse {
  @SuccessField()
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
