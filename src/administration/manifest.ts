import { defineDomain } from '../platform/domain.js';
import { assertMailSettings } from '../platform/mail/mailer.js';
import { AdministrationModule } from './administration.module.js';
import { GroupRule } from './groups/group-rule.entity.js';
import { UserGroup } from './groups/user-group.entity.js';
import { Invitation } from './invitations/invitation.entity.js';
import { UserLink } from './users/user-link.entity.js';

defineDomain('administration', {
  holds: 'Manages workspaces, API keys, users, members, invitations, group rules and roles, and lists the audit trail',
  uses: [],
  module: ({ config }) => {
    assertMailSettings(config);
    return AdministrationModule;
  },
  entities: [GroupRule, Invitation, UserGroup, UserLink],
  tags: [
    { name: 'People', description: 'Users, members of workspaces, invitations and personal keys.', order: 191 },
    { name: 'Administration', description: 'Workspaces, their settings and API keys, and who did what.', order: 190 },
  ],
});
