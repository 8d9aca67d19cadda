import { ApiProperty } from '@nestjs/swagger';
import { componentOf } from '../../platform/http/fields.js';
import { USER_COMPONENT } from '../protocol/documents.js';
import { ListBody } from '../protocol/scim-operations.js';

export class ScimUsersResponse extends ListBody {
  @ApiProperty({ type: 'array', items: componentOf(USER_COMPONENT), description: 'The users of the page.' })
  Resources: object[];
}
