import { ApiProperty } from '@nestjs/swagger';
import { componentOf } from '../../platform/http/fields.js';
import { GROUP_COMPONENT } from '../protocol/documents.js';
import { ListBody } from '../protocol/scim-operations.js';

export class ScimGroupsResponse extends ListBody {
  @ApiProperty({ type: 'array', items: componentOf(GROUP_COMPONENT), description: 'The groups of the page.' })
  Resources: object[];
}
