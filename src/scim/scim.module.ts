import { Module } from '@nestjs/common';
import { ScimDiscoveryController } from './discovery/discovery.controller.js';
import { ScimGroupsController } from './groups/scim-groups.controller.js';
import { ScimGroups } from './groups/scim-groups.service.js';
import { ScimTokensController } from './tokens/scim-tokens.controller.js';
import { ScimTokens } from './tokens/scim-tokens.service.js';
import { ScimUsersController } from './users/scim-users.controller.js';
import { ScimUsers } from './users/scim-users.service.js';

@Module({
  controllers: [ScimTokensController, ScimDiscoveryController, ScimUsersController, ScimGroupsController],
  providers: [ScimTokens, ScimUsers, ScimGroups],
  exports: [ScimTokens],
})
export class ScimModule {}
