-- Spreads the tables of the server over the nodes of Citus, by workspace: docs/how-to/citus.md. To be run once, as the owner
-- of the tables, on the coordinator, after the migrations. Written by: npm test -- test/contract/one-workspace --update

-- The triggers write rows of the workspace of the rows that fire them.
SET citus.enable_unsafe_triggers TO on;

-- Functions that indexes and statements call.
SELECT create_distributed_function('comparable_text(text)');
SELECT create_distributed_function('json_in_text(text)');
SELECT create_distributed_function('readable_json(text)');
SELECT create_distributed_function('refuse_transaction(text)');
SELECT create_distributed_function('texts_of_json(text)');
SELECT create_distributed_function('word_parts(integer,text)');

-- The same on every node.
SELECT create_reference_table('event_consumers');
SELECT create_reference_table('migrations');
SELECT create_reference_table('workspaces');
SELECT create_reference_table('api_keys');
SELECT create_reference_table('console_sessions');

-- By workspace: all rows of a workspace are on one node.
SELECT create_distributed_table('audit_entries', 'workspace_id', colocate_with => 'none');
SELECT create_distributed_table('cell_history', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('cell_memo', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('cells', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('column_chunk_history', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('column_chunks', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('column_history', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('computation_tasks', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('dataset_groups', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('env_vars', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('erasures', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('event_positions', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('exports', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('external_ids', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('folders', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('idempotency_keys', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('ingest_receipts', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('linkable_spans', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('log_claims', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('mcp_servers', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('model_credentials', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('model_prices', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('outbox_events', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('prompt_snippets', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('prompt_texts', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('prompts', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('request_groups', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('request_hour_changes', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('request_hours', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('request_log_search_queue', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('request_logs', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('retention_policies', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('scorecard_rows', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('search_documents', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('search_postings', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('search_segments', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('search_values', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('skill_collections', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('skill_contents', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('span_log_events', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('span_search', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('span_sources', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('spans', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('tables', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('tools', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('trace_hour_changes', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('trace_hours', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('trace_search', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('trace_search_queue', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('traces', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('vocabulary', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('vocabulary_resets', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('webhooks', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('workflows', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('workspace_settings', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('erasure_targets', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('export_chunks', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('prompt_labels', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('prompt_versions', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('request_scores', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('sheets', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('skill_versions', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('tool_labels', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('tool_versions', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('webhook_deliveries', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('workflow_labels', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('workflow_versions', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('dataset_versions', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('executions', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('import_operations', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('reports', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('score_calculations', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('score_configurations', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('scorecard_calculations', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('scorecards', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('sheet_columns', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('sheet_versions', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('version_scores', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('workflow_run_sheets', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('column_edges', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('column_prompts', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('composition_links', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('dataset_version_prompts', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('import_chunks', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('report_columns', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('workflow_runs', 'workspace_id', colocate_with => 'audit_entries');
SELECT create_distributed_table('workflow_run_ends', 'workspace_id', colocate_with => 'audit_entries');
