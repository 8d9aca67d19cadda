import { expect, it } from 'vitest';
import { TestApp } from '../support/test-app.js';
import { provider, USERS, userBody, patchBody, sent, found } from '../support/scim.js';
it('works', async () => {
  const app = await TestApp.own({ works: false });
  const idp = await provider(app);
  const user: any = await idp.post(USERS, sent(userBody('Sam@Example.com', { name: { givenName: 'Sam', familyName: 'Lee' }, emails: [{ value: 'a@x', type: 'work', primary: true }] })), 201);
  console.log(user);
  console.log(await idp.get(USERS + '/' + user.id));
  console.log(await found(idp, USERS, 'userName eq "sam@example.COM"'));
  console.log(JSON.stringify(await idp.patch(USERS + '/' + user.id, sent(patchBody({ op: 'Replace', path: 'active', value: 'False' }, { op: 'add', path: 'emails[type eq "home"].value', value: 'h@x' })))));
  console.log(await idp.get('/scim/v2/ServiceProviderConfig'));
  await idp.get('/scim/v2/Schemas');
  await idp.get('/scim/v2/ResourceTypes');
  console.log((await idp.get('/scim/v2/Nope', 404)));
  console.log(await idp.post(USERS, sent(userBody('sam@example.com')), 409));
  console.log(await app.client.get(USERS, 401));
  await app.stop();
});
