import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { earlierMigrations } from '../../migrations/earlier.js';
import { firstMigrations, migrations } from '../../migrations/index.js';
import { dataSourceOptions } from '../../src/data-source.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { assertDatabaseReady } from '../../src/platform/database/readiness.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { readSchema, type SchemaRow } from '../support/schema.js';

let database: TestDatabase;
let db: DataSource;

beforeAll(async () => {
  database = await testDatabase();
  db = await new DataSource(dataSourceOptions(database.url)).initialize();
});
afterAll(async () => {
  await db.destroy();
  await database.close();
});

const dump = () => readSchema((sql) => db.query<SchemaRow[]>(sql));

describe('the migrated database', () => {
  it('has exactly the tables, columns and constraints that the entities declare', async () => {
    const { upQueries } = await db.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('names primary keys as the entities do', async () => {
    const names = await db.query<{ table: string; name: string }[]>(
      `SELECT conrelid::regclass::text AS "table", conname AS name FROM pg_constraint
        WHERE contype = 'p' AND connamespace = 'public'::regnamespace AND conrelid <> 'migrations'::regclass`,
    );
    expect(names.filter(({ table, name }) => name !== db.namingStrategy.primaryKeyName(table, []))).toEqual([]);
  });

  it('starts the primary key of every table of customers with the workspace', async () => {
    const keys = await db.query<{ table: string; definition: string }[]>(
      `SELECT conrelid::regclass::text AS "table", pg_get_constraintdef(oid) AS definition FROM pg_constraint
        WHERE contype = 'p' AND connamespace = 'public'::regnamespace`,
    );
    const others = keys.filter(({ definition }) => !definition.startsWith('PRIMARY KEY (workspace_id'));
    const beforeWorkspaceIsKnown = ['api_keys', 'custom_roles', 'workspaces'];
    const ofServer = ['event_consumers', 'migrations', 'secrets_check', 'workspace_deletions'];
    const ofPeople = ['group_rules', 'scim_groups', 'scim_tokens', 'user_groups', 'user_links', 'users'];
    const ofSingleSignOn = ['identity_providers', 'logout_tokens', 'sign_in_attempts', 'user_identities'];
    expect(others.map(({ table }) => table).sort()).toEqual(
      [...beforeWorkspaceIsKnown, ...ofServer, ...ofPeople, ...ofSingleSignOn].sort(),
    );
  });

  it('has the secondary indexes listed here, predicates and orders included, which the entities cannot state', async () => {
    const indexes = await db.query<{ definition: string }[]>(
      `SELECT pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE c.relnamespace = 'public'::regnamespace AND NOT i.indisprimary ORDER BY 1`,
    );
    expect(indexes.map(({ definition }) => definition)).toMatchInlineSnapshot(`
      [
        "CREATE INDEX api_keys_maker_idx ON public.api_keys USING btree (maker_id) WHERE (maker_id IS NOT NULL)",
        "CREATE INDEX api_keys_user_idx ON public.api_keys USING btree (user_id) WHERE (user_id IS NOT NULL)",
        "CREATE INDEX api_keys_workspace_id_idx ON public.api_keys USING btree (workspace_id, id)",
        "CREATE INDEX arrivals_item_idx ON public.arrivals USING btree (workspace_id, kind, item_id)",
        "CREATE INDEX audit_entries_action_idx ON public.audit_entries USING btree (workspace_id, action, id)",
        "CREATE INDEX audit_entries_entity_idx ON public.audit_entries USING btree (workspace_id, entity_id, id)",
        "CREATE INDEX audit_entries_key_idx ON public.audit_entries USING btree (workspace_id, key_id, id)",
        "CREATE INDEX cell_memo_computed_idx ON public.cell_memo USING btree (computed_at)",
        "CREATE INDEX column_edges_sheet_idx ON public.column_edges USING btree (workspace_id, sheet_id)",
        "CREATE INDEX column_prompts_prompt_idx ON public.column_prompts USING btree (workspace_id, prompt_id)",
        "CREATE INDEX composition_links_source_idx ON public.composition_links USING btree (workspace_id, source_sheet_id)",
        "CREATE INDEX computation_tasks_chunk_idx ON public.computation_tasks USING btree (workspace_id, sheet_id, chunk_no, rank)",
        "CREATE INDEX computation_tasks_execution_idx ON public.computation_tasks USING btree (workspace_id, execution_id)",
        "CREATE INDEX computation_tasks_turn_idx ON public.computation_tasks USING btree (is_external, workspace_id, chunk_no, rank, id)",
        "CREATE INDEX console_sessions_key_idx ON public.console_sessions USING btree (workspace_id, key_id)",
        "CREATE INDEX console_sessions_provider_idx ON public.console_sessions USING btree (provider_id, provider_sid) WHERE (provider_id IS NOT NULL)",
        "CREATE INDEX dataset_groups_folder_idx ON public.dataset_groups USING btree (workspace_id, folder_id) WHERE ((folder_id IS NOT NULL) AND (deleted_at IS NULL))",
        "CREATE INDEX dataset_version_prompts_prompt_idx ON public.dataset_version_prompts USING btree (workspace_id, prompt_id, prompt_version_number)",
        "CREATE INDEX dataset_versions_created_idx ON public.dataset_versions USING btree (workspace_id, created_at, id)",
        "CREATE INDEX erasures_created_idx ON public.erasures USING btree (workspace_id, created_at, id)",
        "CREATE INDEX erasures_open_idx ON public.erasures USING btree (created_at) WHERE (finished_at IS NULL)",
        "CREATE INDEX executions_active_idx ON public.executions USING btree (workspace_id, sheet_id) WHERE (finished_at IS NULL)",
        "CREATE INDEX executions_listed_idx ON public.executions USING btree (workspace_id, status, created_at, id) WHERE in_table",
        "CREATE INDEX exports_created_idx ON public.exports USING btree (workspace_id, created_at, id)",
        "CREATE INDEX exports_expiry_idx ON public.exports USING btree (expires_at)",
        "CREATE INDEX exports_open_idx ON public.exports USING btree (created_at) WHERE (finished_at IS NULL)",
        "CREATE INDEX external_ids_entity_idx ON public.external_ids USING btree (workspace_id, entity_type, entity_id, seq)",
        "CREATE INDEX feed_items_decided_idx ON public.feed_items USING btree (workspace_id, feed_id, decided_at) WHERE (row_index IS NULL)",
        "CREATE INDEX feed_items_row_idx ON public.feed_items USING btree (workspace_id, feed_id, row_index) WHERE (row_index IS NOT NULL)",
        "CREATE INDEX feed_items_unsettled_idx ON public.feed_items USING btree (workspace_id, feed_id, row_index) WHERE (NOT is_settled)",
        "CREATE INDEX feeds_open_idx ON public.feeds USING btree (workspace_id, served_at) WHERE ((state = 'active'::text) AND (status = ANY (ARRAY['queued'::text, 'running'::text])))",
        "CREATE INDEX feeds_sheet_idx ON public.feeds USING btree (workspace_id, sheet_id, created_at, id)",
        "CREATE INDEX idempotency_keys_created_at_idx ON public.idempotency_keys USING btree (created_at)",
        "CREATE INDEX import_operations_listed_idx ON public.import_operations USING btree (workspace_id, status, created_at, id) WHERE (table_id IS NOT NULL)",
        "CREATE INDEX ingest_receipts_received_idx ON public.ingest_receipts USING btree (received_at)",
        "CREATE INDEX ingest_refusals_hour_idx ON public.ingest_refusals USING btree (hour)",
        "CREATE INDEX label_changes_created_idx ON public.label_changes USING btree (workspace_id, created_at, id)",
        "CREATE INDEX linkable_spans_trace_idx ON public.linkable_spans USING btree (workspace_id, trace_id)",
        "CREATE INDEX monitor_alerts_created_idx ON public.monitor_alerts USING btree (workspace_id, monitor_id, created_at, id)",
        "CREATE INDEX monitors_created_idx ON public.monitors USING btree (workspace_id, created_at, id)",
        "CREATE INDEX monitors_due_idx ON public.monitors USING btree (workspace_id, due_at) WHERE (state = 'active'::text)",
        "CREATE INDEX open_traces_changed_idx ON public.open_traces USING btree (workspace_id, changed_at)",
        "CREATE INDEX outbox_events_occurred_idx ON public.outbox_events USING btree (occurred_at)",
        "CREATE INDEX outbox_events_xid_idx ON public.outbox_events USING btree (workspace_id, xid, id)",
        "CREATE INDEX prompt_labels_lookup_idx ON public.prompt_labels USING btree (workspace_id, name)",
        "CREATE INDEX prompt_snippets_use_idx ON public.prompt_snippets USING btree (workspace_id, snippet_id)",
        "CREATE INDEX prompts_created_idx ON public.prompts USING btree (workspace_id, created_at, id)",
        "CREATE INDEX prompts_folder_idx ON public.prompts USING btree (workspace_id, folder_id) WHERE (deleted_at IS NULL)",
        "CREATE INDEX regressions_created_idx ON public.regressions USING btree (workspace_id, sheet_id, created_at, id)",
        "CREATE INDEX regressions_open_idx ON public.regressions USING btree (workspace_id, created_at) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]))",
        "CREATE INDEX report_columns_report_idx ON public.report_columns USING btree (workspace_id, report_id)",
        "CREATE INDEX reports_created_idx ON public.reports USING btree (workspace_id, created_at, id) WHERE is_blueprint",
        "CREATE INDEX reports_folder_idx ON public.reports USING btree (workspace_id, folder_id) WHERE ((folder_id IS NOT NULL) AND (deleted_at IS NULL))",
        "CREATE INDEX reports_name_idx ON public.reports USING btree (workspace_id, name) WHERE (deleted_at IS NULL)",
        "CREATE INDEX reports_open_idx ON public.reports USING btree (workspace_id, created_at) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]))",
        "CREATE INDEX reports_parent_idx ON public.reports USING btree (workspace_id, parent_id, id) WHERE (parent_id IS NOT NULL)",
        "CREATE INDEX repricings_created_idx ON public.repricings USING btree (workspace_id, created_at, id)",
        "CREATE INDEX repricings_open_idx ON public.repricings USING btree (created_at) WHERE (finished_at IS NULL)",
        "CREATE INDEX request_hours_hour_idx ON public.request_hours USING btree (workspace_id, hour)",
        "CREATE INDEX request_logs_facets_idx ON public.request_logs USING gin (facets) WITH (gin_pending_list_limit='256')",
        "CREATE INDEX request_logs_input_tokens_idx ON public.request_logs USING btree (workspace_id, input_tokens, id)",
        "CREATE INDEX request_logs_latency_idx ON public.request_logs USING btree (workspace_id, latency_ms, id)",
        "CREATE INDEX request_logs_output_tokens_idx ON public.request_logs USING btree (workspace_id, output_tokens, id)",
        "CREATE INDEX request_logs_price_idx ON public.request_logs USING btree (workspace_id, price, id)",
        "CREATE INDEX request_logs_start_idx ON public.request_logs USING btree (workspace_id, request_start_time DESC, id DESC)",
        "CREATE INDEX request_logs_status_idx ON public.request_logs USING btree (workspace_id, status, id)",
        "CREATE INDEX request_logs_trace_idx ON public.request_logs USING btree (workspace_id, trace_id) WHERE (trace_id IS NOT NULL)",
        "CREATE INDEX request_scores_name_idx ON public.request_scores USING btree (workspace_id, name, log_id) INCLUDE (score)",
        "CREATE INDEX review_queues_created_idx ON public.review_queues USING btree (workspace_id, created_at, id)",
        "CREATE INDEX saved_views_created_idx ON public.saved_views USING btree (workspace_id, created_at, id)",
        "CREATE INDEX scim_groups_external_id_idx ON public.scim_groups USING btree (external_id) WHERE (external_id IS NOT NULL)",
        "CREATE INDEX score_calculations_open_idx ON public.score_calculations USING btree (workspace_id, created_at) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]))",
        "CREATE INDEX score_calculations_sheet_idx ON public.score_calculations USING btree (workspace_id, sheet_id, number DESC)",
        "CREATE INDEX scorecard_calculations_open_idx ON public.scorecard_calculations USING btree (workspace_id, created_at) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]))",
        "CREATE INDEX scorecard_calculations_sheet_idx ON public.scorecard_calculations USING btree (workspace_id, sheet_id, number DESC)",
        "CREATE INDEX scorecard_calculations_time_idx ON public.scorecard_calculations USING btree (workspace_id, created_at DESC, id DESC)",
        "CREATE INDEX search_segments_kind_idx ON public.search_segments USING btree (workspace_id, kind)",
        "CREATE INDEX search_segments_merged_idx ON public.search_segments USING btree (merged_at) WHERE (merged_at IS NOT NULL)",
        "CREATE INDEX sheet_columns_sheet_idx ON public.sheet_columns USING btree (workspace_id, sheet_id, position_rank) WHERE (deleted_at IS NULL)",
        "CREATE INDEX sheets_table_idx ON public.sheets USING btree (workspace_id, table_id, index) WHERE (deleted_at IS NULL)",
        "CREATE INDEX sign_in_attempts_expiry_idx ON public.sign_in_attempts USING btree (expires_at)",
        "CREATE INDEX skill_collections_folder_idx ON public.skill_collections USING btree (workspace_id, folder_id) WHERE (deleted_at IS NULL)",
        "CREATE INDEX span_log_events_received_idx ON public.span_log_events USING btree (workspace_id, received_at)",
        "CREATE INDEX span_search_span_idx ON public.span_search USING btree (workspace_id, span_id)",
        "CREATE INDEX spans_call_parent_idx ON public.spans USING btree (workspace_id, trace_id, parent_id) WHERE ((parent_id IS NOT NULL) AND ((request_log_id IS NOT NULL) OR (repeats_log_id IS NOT NULL)))",
        "CREATE INDEX spans_response_idx ON public.spans USING btree (workspace_id, trace_id, response_id) WHERE (response_id IS NOT NULL)",
        "CREATE INDEX tables_created_idx ON public.tables USING btree (workspace_id, created_at, id) WHERE (deleted_at IS NULL)",
        "CREATE INDEX tables_folder_idx ON public.tables USING btree (workspace_id, folder_id) WHERE ((folder_id IS NOT NULL) AND (deleted_at IS NULL))",
        "CREATE INDEX tools_folder_idx ON public.tools USING btree (workspace_id, folder_id) WHERE (deleted_at IS NULL)",
        "CREATE INDEX tools_updated_idx ON public.tools USING btree (workspace_id, updated_at, id) WHERE (deleted_at IS NULL)",
        "CREATE INDEX trace_hours_hour_idx ON public.trace_hours USING btree (workspace_id, hour)",
        "CREATE INDEX trace_scores_name_idx ON public.trace_scores USING btree (workspace_id, name, score)",
        "CREATE INDEX trace_search_queue_due_idx ON public.trace_search_queue USING btree (workspace_id, due_at)",
        "CREATE INDEX trace_search_session_idx ON public.trace_search USING btree (workspace_id, "left"(session_id, 200), start_ns, trace_id) WHERE (session_id IS NOT NULL)",
        "CREATE INDEX trace_search_sessions_idx ON public.trace_search USING btree (workspace_id, start_ns, trace_id) WHERE (session_id IS NOT NULL)",
        "CREATE INDEX trace_search_user_sessions_idx ON public.trace_search USING btree (workspace_id, "left"(user_id, 200), start_ns, trace_id) WHERE ((session_id IS NOT NULL) AND (user_id IS NOT NULL))",
        "CREATE INDEX traces_start_idx ON public.traces USING btree (workspace_id, start_ns DESC, trace_id)",
        "CREATE INDEX user_groups_group_idx ON public.user_groups USING btree (group_name, source, user_id)",
        "CREATE INDEX user_identities_user_idx ON public.user_identities USING btree (user_id)",
        "CREATE INDEX user_links_user_idx ON public.user_links USING btree (user_id)",
        "CREATE INDEX users_email_prefix_idx ON public.users USING btree (email_key text_pattern_ops)",
        "CREATE INDEX users_external_id_idx ON public.users USING btree (external_id) WHERE (external_id IS NOT NULL)",
        "CREATE INDEX vocabulary_parts_idx ON public.vocabulary USING gin (word_parts(workspace_id, word)) WITH (gin_pending_list_limit='1024')",
        "CREATE INDEX webhook_deliveries_due_idx ON public.webhook_deliveries USING btree (workspace_id, webhook_id, next_attempt_at) WHERE (status = 'pending'::text)",
        "CREATE INDEX webhook_deliveries_webhook_idx ON public.webhook_deliveries USING btree (workspace_id, webhook_id, id)",
        "CREATE INDEX workflow_run_ends_open_idx ON public.workflow_run_ends USING btree (workspace_id, created_at)",
        "CREATE INDEX workflow_runs_channel_idx ON public.workflow_runs USING btree (workspace_id, workflow_id, channel) WHERE (channel IS NOT NULL)",
        "CREATE INDEX workflow_runs_running_idx ON public.workflow_runs USING btree (workspace_id, execution_id) WHERE (status = 'running'::text)",
        "CREATE INDEX workflow_runs_workflow_idx ON public.workflow_runs USING btree (workspace_id, workflow_id, id)",
        "CREATE INDEX workflows_created_idx ON public.workflows USING btree (workspace_id, created_at, id)",
        "CREATE INDEX workflows_folder_idx ON public.workflows USING btree (workspace_id, folder_id) WHERE (deleted_at IS NULL)",
        "CREATE INDEX workspace_deletions_open_idx ON public.workspace_deletions USING btree (created_at) WHERE (finished_at IS NULL)",
        "CREATE UNIQUE INDEX ab_releases_label_key ON public.ab_releases USING btree (workspace_id, prompt_label_id)",
        "CREATE UNIQUE INDEX api_keys_hash_key ON public.api_keys USING btree (hash)",
        "CREATE UNIQUE INDEX api_keys_member_key ON public.api_keys USING btree (workspace_id, user_id) WHERE ((kind = 'member'::text) AND (revoked_at IS NULL))",
        "CREATE UNIQUE INDEX console_sessions_token_hash_key ON public.console_sessions USING btree (token_hash)",
        "CREATE UNIQUE INDEX custom_roles_name_key ON public.custom_roles USING btree (workspace_id, name)",
        "CREATE UNIQUE INDEX dataset_groups_name_key ON public.dataset_groups USING btree (workspace_id, name) WHERE (deleted_at IS NULL)",
        "CREATE UNIQUE INDEX dataset_versions_draft_key ON public.dataset_versions USING btree (workspace_id, group_id) WHERE ((state = 'draft'::text) AND (deleted_at IS NULL))",
        "CREATE UNIQUE INDEX dataset_versions_number_key ON public.dataset_versions USING btree (workspace_id, group_id, number)",
        "CREATE UNIQUE INDEX dataset_versions_sheet_key ON public.dataset_versions USING btree (workspace_id, sheet_id)",
        "CREATE UNIQUE INDEX env_vars_key_key ON public.env_vars USING btree (workspace_id, tool_id, key)",
        "CREATE UNIQUE INDEX erasures_subject_key ON public.erasures USING btree (workspace_id, subject_hash, dry_run) WHERE (finished_at IS NULL)",
        "CREATE UNIQUE INDEX folders_sibling_key ON public.folders USING btree (workspace_id, COALESCE(parent_id, 0), name)",
        "CREATE UNIQUE INDEX group_rules_group_key ON public.group_rules USING btree (group_name, workspace_id)",
        "CREATE UNIQUE INDEX identity_providers_slug_key ON public.identity_providers USING btree (slug)",
        "CREATE UNIQUE INDEX import_operations_active_key ON public.import_operations USING btree (workspace_id, sheet_id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]))",
        "CREATE UNIQUE INDEX invitations_token_hash_key ON public.invitations USING btree (token_hash)",
        "CREATE UNIQUE INDEX label_changes_open_key ON public.label_changes USING btree (workspace_id, kind, item_id, label) WHERE (state = 'open'::text)",
        "CREATE UNIQUE INDEX model_credentials_name_key ON public.model_credentials USING btree (workspace_id, provider, name)",
        "CREATE UNIQUE INDEX monitor_alerts_open_key ON public.monitor_alerts USING btree (workspace_id, monitor_id, group_key) WHERE (state = 'open'::text)",
        "CREATE UNIQUE INDEX prompt_labels_name_key ON public.prompt_labels USING btree (workspace_id, prompt_id, name)",
        "CREATE UNIQUE INDEX prompt_versions_id_key ON public.prompt_versions USING btree (workspace_id, id)",
        "CREATE UNIQUE INDEX prompts_name_key ON public.prompts USING btree (workspace_id, name) WHERE (deleted_at IS NULL)",
        "CREATE UNIQUE INDEX regressions_active_key ON public.regressions USING btree (workspace_id, sheet_id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]))",
        "CREATE UNIQUE INDEX report_columns_column_key ON public.report_columns USING btree (workspace_id, column_id)",
        "CREATE UNIQUE INDEX reports_sheet_key ON public.reports USING btree (workspace_id, sheet_id)",
        "CREATE UNIQUE INDEX review_items_ordinal_key ON public.review_items USING btree (workspace_id, queue_id, ordinal)",
        "CREATE UNIQUE INDEX review_items_subject_key ON public.review_items USING btree (workspace_id, queue_id, subject_id)",
        "CREATE UNIQUE INDEX saved_views_private_key ON public.saved_views USING btree (workspace_id, screen, created_by, name) WHERE (NOT is_shared)",
        "CREATE UNIQUE INDEX saved_views_shared_key ON public.saved_views USING btree (workspace_id, screen, name) WHERE is_shared",
        "CREATE UNIQUE INDEX scim_groups_display_name_key ON public.scim_groups USING btree (display_name)",
        "CREATE UNIQUE INDEX scim_tokens_token_hash_key ON public.scim_tokens USING btree (token_hash)",
        "CREATE UNIQUE INDEX score_calculations_queued_key ON public.score_calculations USING btree (workspace_id, sheet_id) WHERE (status = 'queued'::text)",
        "CREATE UNIQUE INDEX score_configurations_id_key ON public.score_configurations USING btree (workspace_id, id)",
        "CREATE UNIQUE INDEX scorecard_calculations_active_key ON public.scorecard_calculations USING btree (workspace_id, sheet_id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]))",
        "CREATE UNIQUE INDEX sheet_columns_key_key ON public.sheet_columns USING btree (workspace_id, key)",
        "CREATE UNIQUE INDEX sheet_versions_id_key ON public.sheet_versions USING btree (workspace_id, id)",
        "CREATE UNIQUE INDEX skill_collections_name_key ON public.skill_collections USING btree (workspace_id, name) WHERE (deleted_at IS NULL)",
        "CREATE UNIQUE INDEX skill_collections_root_path_key ON public.skill_collections USING btree (workspace_id, root_path) WHERE (deleted_at IS NULL)",
        "CREATE UNIQUE INDEX skill_versions_label_key ON public.skill_versions USING btree (workspace_id, collection_id, label) WHERE (label IS NOT NULL)",
        "CREATE UNIQUE INDEX tool_labels_name_key ON public.tool_labels USING btree (workspace_id, tool_id, name)",
        "CREATE UNIQUE INDEX tool_versions_id_key ON public.tool_versions USING btree (workspace_id, id)",
        "CREATE UNIQUE INDEX tools_name_key ON public.tools USING btree (workspace_id, name) WHERE (deleted_at IS NULL)",
        "CREATE UNIQUE INDEX user_identities_subject_key ON public.user_identities USING btree (provider_id, issuer, subject)",
        "CREATE UNIQUE INDEX users_email_key ON public.users USING btree (email_key)",
        "CREATE UNIQUE INDEX webhook_deliveries_event_key ON public.webhook_deliveries USING btree (workspace_id, event_id, webhook_id)",
        "CREATE UNIQUE INDEX workflow_labels_name_key ON public.workflow_labels USING btree (workspace_id, workflow_id, name)",
        "CREATE UNIQUE INDEX workflow_run_sheets_number_key ON public.workflow_run_sheets USING btree (workspace_id, workflow_version_id, depth, number)",
        "CREATE UNIQUE INDEX workflow_runs_cause_key ON public.workflow_runs USING btree (workspace_id, cause) WHERE (cause IS NOT NULL)",
        "CREATE UNIQUE INDEX workflow_versions_number_key ON public.workflow_versions USING btree (workspace_id, workflow_id, number)",
        "CREATE UNIQUE INDEX workflows_name_key ON public.workflows USING btree (workspace_id, name) WHERE (deleted_at IS NULL)",
      ]
    `);
  });

  it('stores wide columns as listed here', async () => {
    const settings = await db.query<{ setting: string }[]>(
      `SELECT format('%s.%s %s %s', c.relname, a.attname, a.attstorage, a.attcompression) AS setting
         FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
        WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
          AND (a.attstorage <> t.typstorage OR a.attcompression <> '') ORDER BY 1`,
    );
    expect(settings.map(({ setting }) => setting)).toMatchInlineSnapshot(`
      [
        "cell_history.display_value e ",
        "cell_history.error e ",
        "cell_history.value e ",
        "cell_memo.value e ",
        "cells.display_value e ",
        "cells.error e ",
        "cells.value e ",
        "export_chunks.content e ",
        "import_chunks.content e ",
        "ingest_receipts.outcomes e ",
        "request_logs.facets m ",
        "search_postings.ordinals p ",
        "search_postings.places e ",
        "search_segments.packed e ",
        "search_values.value e ",
        "skill_contents.content e ",
        "span_search.facets m ",
        "spans.name e ",
        "spans.status_message e ",
      ]
    `);
  });

  it('keeps room on the pages of the tables listed here', async () => {
    const tables = await db.query<{ setting: string }[]>(
      `SELECT format('%s %s', relname, array_to_string(reloptions, ', ')) AS setting FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND reloptions IS NOT NULL ORDER BY 1`,
    );
    expect(tables.map(({ setting }) => setting)).toMatchInlineSnapshot(`
      [
        "audit_heads fillfactor=50",
        "cells fillfactor=70",
        "column_chunks fillfactor=50",
        "composition_links fillfactor=70",
        "computation_tasks fillfactor=50",
        "erasures fillfactor=50",
        "event_positions fillfactor=50",
        "executions fillfactor=70",
        "exports fillfactor=50",
        "import_operations fillfactor=70",
        "ingest_refusals fillfactor=70",
        "log_claims fillfactor=80",
        "prompts fillfactor=80",
        "repricings fillfactor=50",
        "request_logs toast_tuple_target=1024",
        "request_logs_facets_idx gin_pending_list_limit=256",
        "search_documents fillfactor=80",
        "sheets fillfactor=80",
        "span_search toast_tuple_target=384",
        "trace_search_queue fillfactor=50",
        "traces fillfactor=70",
        "vocabulary_parts_idx gin_pending_list_limit=1024",
        "webhook_deliveries fillfactor=80",
        "webhooks fillfactor=50",
      ]
    `);
  });

  it('goes down to nothing and up again to the very same schema', async () => {
    const before = await dump();
    for (let left = db.migrations.length; left > 0; left--) await db.undoLastMigration({ transaction: 'each' });
    expect((await dump()).flat()).toEqual([]);

    await db.runMigrations({ transaction: 'each' });
    expect(await dump()).toEqual(before);
    expect(before[0]!.length).toBeGreaterThan(50);
  });
});

describe('a database that version 0.1 made', () => {
  const names = async () => {
    const rows = await db.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
    return rows.map(({ name }) => name);
  };
  const record = async (applied: string[]) => {
    await db.query('DELETE FROM migrations');
    const insert =
      'INSERT INTO migrations (name, timestamp) SELECT n, right(n, 13)::bigint FROM unnest($1::text[]) AS n';
    await db.query(insert, [applied]);
  };
  const today = migrations.map(({ name }) => name);
  const later = today.slice(firstMigrations.length);

  it('is taken as it is, and goes down to nothing and up again', async () => {
    await record([...earlierMigrations, ...later]);
    await assertDatabaseReady(database.url);
    expect(await migrate(database.url)).toEqual([]);
    expect(await names()).toEqual(today);

    const before = await dump();
    for (let left = today.length; left > 0; left--) await db.undoLastMigration({ transaction: 'each' });
    expect((await dump()).flat()).toEqual([]);
    expect(await migrate(database.url)).toEqual(today);
    expect(await dump()).toEqual(before);
  });

  it.each([1, earlierMigrations.length - 1])('and has only %d of its migrations is left alone', async (count) => {
    const applied = earlierMigrations.slice(0, count);
    await record(applied);
    try {
      const sentence = `it has ${count} of ${earlierMigrations.length} migrations. Start the last build of version 0.1`;
      await expect(migrate(database.url)).rejects.toThrow(sentence);
      await expect(assertDatabaseReady(database.url)).rejects.toThrow(sentence);
      expect(await names()).toEqual(applied);
    } finally {
      await record(today);
    }
  });
});
