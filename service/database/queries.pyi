# The types of all statements, generated from sql/ by `python -m tests.statement_types`. Do not edit.
# ruff: noqa: N801

from typing import Any, TypedDict

from .statement import Statement

class NoColumns(TypedDict):
    """No named column: the statement writes, or `Tx.value` reads the one value of each row."""

class sql:
    class about:
        engine_version: Statement[NoColumns]

    class access:
        class DataVersionRow(TypedDict):
            data_version: Any

        class FindOwnAgentRow(TypedDict):
            id: Any
            team_id: Any
            status: Any

        class GetAgentRow(TypedDict):
            id: Any
            team_id: Any
            status: Any

        class GetApiKeyRow(TypedDict):
            id: Any
            org_id: Any
            name: Any
            hash: Any
            team_id: Any
            agent_id: Any
            acts_as_itself: Any
            enabled: Any
            expires_at: Any
            organization_archived_at: Any

        class GetMembershipRow(TypedDict):
            role: Any
            label: Any
            actions: Any

        class GetUserRow(TypedDict):
            full_name: Any
            tokens_valid_from: Any
            session_expires_at: Any

        class IsArchivedWithBoardRow(TypedDict):
            found: Any

        class ListRegisteredAgentsRow(TypedDict):
            id: Any
            team_id: Any
            status: Any

        data_version: Statement[DataVersionRow]
        find_own_agent: Statement[FindOwnAgentRow]
        get_agent: Statement[GetAgentRow]
        get_api_key: Statement[GetApiKeyRow]
        get_membership: Statement[GetMembershipRow]
        get_user: Statement[GetUserRow]
        is_archived_with_board: Statement[IsArchivedWithBoardRow]
        list_registered_agents: Statement[ListRegisteredAgentsRow]

    class activity:
        class FirstEventRow(TypedDict):
            first_id: Any
            count: Any

        class GetCardRow(TypedDict):
            card_id: Any
            card_key: Any
            title: Any
            project_id: Any
            column_id: Any
            column: Any
            from_column: Any
            decision: Any
            answer: Any

        class LastEventRow(TypedDict):
            last_id: Any
            count: Any

        class ListEventsRow(TypedDict):
            id: Any
            type: Any
            card_id: Any
            about: Any
            actor: Any
            created_at: Any

        class ListOfAgentRow(TypedDict):
            count: Any
            items: Any

        count_cards: Statement[NoColumns]
        first_event: Statement[FirstEventRow]
        get_card: Statement[GetCardRow]
        last_event: Statement[LastEventRow]
        list_events: Statement[ListEventsRow]
        list_of_agent: Statement[ListOfAgentRow]

    class agents:
        class FindByHandleRow(TypedDict):
            id: Any

        class GetRow(TypedDict):
            id: Any
            title: Any
            team_id: Any
            status: Any
            is_online: Any
            last_seen_at: Any
            machine_name: Any
            machine_ip: Any
            llm_version: Any
            email: Any
            os_name: Any
            os_version: Any
            ram_bytes: Any
            storage_bytes: Any
            storage_type: Any
            created_at: Any
            key_id: Any

        class ListRow(TypedDict):
            id: Any
            title: Any
            team_id: Any
            status: Any
            is_online: Any
            last_seen_at: Any
            machine_name: Any
            machine_ip: Any
            llm_version: Any
            email: Any
            os_name: Any
            os_version: Any
            ram_bytes: Any
            storage_bytes: Any
            storage_type: Any
            created_at: Any

        class ListAssignedCardsRow(TypedDict):
            id: Any

        class ListModeratedColumnsRow(TypedDict):
            id: Any

        class ListOpenTransitionsRow(TypedDict):
            from_column_id: Any
            to_column_id: Any

        class ListWithWorkRow(TypedDict):
            id: Any
            title: Any
            team_id: Any
            status: Any
            is_online: Any
            last_seen_at: Any
            machine_name: Any
            machine_ip: Any
            llm_version: Any
            email: Any
            os_name: Any
            os_version: Any
            ram_bytes: Any
            storage_bytes: Any
            storage_type: Any
            created_at: Any
            stop_reason: Any
            stopped_at: Any
            team_name: Any
            claims: Any
            assigned: Any
            open_requests: Any
            refusals24h: Any

        count_pending: Statement[NoColumns]
        delete: Statement[NoColumns]
        find_by_handle: Statement[FindByHandleRow]
        get: Statement[GetRow]
        has_pickup_column: Statement[NoColumns]
        is_presence_due: Statement[NoColumns]
        list: Statement[ListRow]
        list_assigned_cards: Statement[ListAssignedCardsRow]
        list_moderated_columns: Statement[ListModeratedColumnsRow]
        list_open_transitions: Statement[ListOpenTransitionsRow]
        list_with_work: Statement[ListWithWorkRow]
        register: Statement[NoColumns]
        set_offline: Statement[NoColumns]
        set_status: Statement[NoColumns]
        update_last_seen: Statement[NoColumns]

    class analytics:
        class AgentActivityRow(TypedDict):
            agent_id: Any
            cards_touched: Any
            comments: Any
            transitions: Any

        class ColumnDwellTimesRow(TypedDict):
            column_id: Any
            cards_entered: Any
            average_dwell_hours: Any

        class ThroughputRow(TypedDict):
            cards_created: Any
            cards_closed: Any
            average_cycle_time_hours: Any

        agent_activity: Statement[AgentActivityRow]
        column_dwell_times: Statement[ColumnDwellTimesRow]
        throughput: Statement[ThroughputRow]

    class api_keys:
        class GetRow(TypedDict):
            id: Any
            name: Any
            prefix: Any
            team_id: Any
            agent_id: Any
            acts_as_itself: Any
            enabled: Any
            expires_at: Any
            last_used_at: Any
            created_at: Any

        class ListRow(TypedDict):
            id: Any
            name: Any
            prefix: Any
            team_id: Any
            agent_id: Any
            acts_as_itself: Any
            enabled: Any
            expires_at: Any
            last_used_at: Any
            created_at: Any

        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        get: Statement[GetRow]
        list: Statement[ListRow]
        rotate: Statement[NoColumns]
        update: Statement[NoColumns]
        update_last_used: Statement[NoColumns]

    class archive:
        class GetCardRow(TypedDict):
            id: Any
            column_id: Any
            project_id: Any
            archived_at: Any
            project_archived_at: Any
            card_type_archived_at: Any

        class GetOrganizationRow(TypedDict):
            id: Any

        class GetProjectRow(TypedDict):
            id: Any
            archive_id: Any
            archived_at: Any

        class GetTeamRow(TypedDict):
            id: Any

        class ListRow(TypedDict):
            type: Any
            id: Any
            key: Any
            title: Any
            archived_at: Any
            archived_by: Any

        class RestoreCardsRow(TypedDict):
            id: Any
            column_id: Any

        count: Statement[NoColumns]
        get_card: Statement[GetCardRow]
        get_organization: Statement[GetOrganizationRow]
        get_project: Statement[GetProjectRow]
        get_team: Statement[GetTeamRow]
        list: Statement[ListRow]
        restore_card_types: Statement[NoColumns]
        restore_cards: Statement[RestoreCardsRow]
        restore_columns: Statement[NoColumns]
        restore_organization: Statement[NoColumns]
        restore_project: Statement[NoColumns]
        restore_team: Statement[NoColumns]
        restore_transitions: Statement[NoColumns]

    class attention:
        class CountOverdueCardsRow(TypedDict):
            project_id: Any
            cards: Any

        class ListCreatingAgentsRow(TypedDict):
            since: Any
            agent_id: Any
            agent_title: Any
            total: Any

        class ListExpiredClaimsRow(TypedDict):
            since: Any
            card_id: Any
            card_key: Any
            card_title: Any
            project_id: Any
            column_id: Any
            agent_id: Any
            agent_title: Any
            total: Any

        class ListHandedOverCardsRow(TypedDict):
            since: Any
            card_id: Any
            card_key: Any
            card_title: Any
            project_id: Any
            column_id: Any
            agent_id: Any
            agent_title: Any
            column_title: Any
            from_column_id: Any
            total: Any

        class ListLostFilesRow(TypedDict):
            since: Any
            agent_id: Any
            agent_title: Any
            files: Any
            total: Any

        class ListMoveRequestsRow(TypedDict):
            since: Any
            card_id: Any
            card_key: Any
            card_title: Any
            project_id: Any
            column_id: Any
            agent_id: Any
            agent_title: Any
            column_title: Any
            request_id: Any
            from_column_id: Any
            to_column_id: Any
            note: Any
            total: Any

        class ListOverdueCardsRow(TypedDict):
            since: Any
            card_id: Any
            card_key: Any
            card_title: Any
            project_id: Any
            column_id: Any
            agent_id: Any
            agent_title: Any

        class ListPendingAgentsRow(TypedDict):
            since: Any
            agent_id: Any
            agent_title: Any
            total: Any

        class ListQuestionsRow(TypedDict):
            since: Any
            card_id: Any
            card_key: Any
            card_title: Any
            project_id: Any
            column_id: Any
            agent_id: Any
            agent_title: Any
            comment_id: Any
            content: Any
            options: Any
            total: Any

        class ListRejectedMovesRow(TypedDict):
            since: Any
            card_id: Any
            card_key: Any
            card_title: Any
            project_id: Any
            column_id: Any
            agent_id: Any
            agent_title: Any
            column_title: Any
            from_column_id: Any
            to_column_id: Any
            note: Any
            total: Any

        class ListStoppedAgentsRow(TypedDict):
            since: Any
            agent_id: Any
            agent_title: Any
            stop_reason: Any
            assigned: Any
            total: Any

        count_overdue_cards: Statement[CountOverdueCardsRow]
        list_creating_agents: Statement[ListCreatingAgentsRow]
        list_expired_claims: Statement[ListExpiredClaimsRow]
        list_handed_over_cards: Statement[ListHandedOverCardsRow]
        list_lost_files: Statement[ListLostFilesRow]
        list_move_requests: Statement[ListMoveRequestsRow]
        list_overdue_cards: Statement[ListOverdueCardsRow]
        list_pending_agents: Statement[ListPendingAgentsRow]
        list_questions: Statement[ListQuestionsRow]
        list_rejected_moves: Statement[ListRejectedMovesRow]
        list_stopped_agents: Statement[ListStoppedAgentsRow]

    class board:
        class CountNewEventsRow(TypedDict):
            count: Any
            nouns: Any

        class FindRecentEventRow(TypedDict):
            id: Any

        class ListAgentsRow(TypedDict):
            id: Any
            title: Any
            status: Any
            is_online: Any
            last_seen_at: Any
            llm_version: Any
            stop_reason: Any

        class ListChangedCardsRow(TypedDict):
            id: Any

        class ListClaimsRow(TypedDict):
            card_id: Any
            card_key: Any
            agent_id: Any
            claimed_at: Any
            renewed_at: Any
            expires_at: Any

        class ListMembersRow(TypedDict):
            id: Any
            name: Any
            handle: Any

        count_new_events: Statement[CountNewEventsRow]
        find_recent_event: Statement[FindRecentEventRow]
        list_agents: Statement[ListAgentsRow]
        list_cards: Statement[NoColumns]
        list_changed_cards: Statement[ListChangedCardsRow]
        list_claims: Statement[ListClaimsRow]
        list_members: Statement[ListMembersRow]

    class board_flow:
        get_board: Statement[NoColumns]
        get_overview: Statement[NoColumns]

    class card_types:
        class GetRow(TypedDict):
            id: Any
            project_id: Any
            title: Any
            color: Any
            comments_enabled: Any
            files_enabled: Any
            created_at: Any

        class GetFullRow(TypedDict):
            id: Any
            project_id: Any
            title: Any
            color: Any
            comments_enabled: Any
            files_enabled: Any
            created_at: Any
            fields: Any

        class ListRow(TypedDict):
            id: Any
            project_id: Any
            title: Any
            color: Any
            comments_enabled: Any
            files_enabled: Any
            created_at: Any
            fields: Any

        class ListUsageRow(TypedDict):
            id: Any
            title: Any
            card_count: Any
            archived_count: Any

        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        get: Statement[GetRow]
        get_full: Statement[GetFullRow]
        is_in_use: Statement[NoColumns]
        list: Statement[ListRow]
        list_usage: Statement[ListUsageRow]
        update: Statement[NoColumns]

    class card_view:
        class ListRelationsRow(TypedDict):
            id: Any
            from_card_id: Any
            to_card_id: Any
            from_card_key: Any
            to_card_key: Any
            kind: Any
            comment: Any
            created_at: Any
            card: Any

        list_relations: Statement[ListRelationsRow]

    class cards:
        class GetRow(TypedDict):
            id: Any
            org_id: Any
            project_id: Any
            number: Any
            key: Any
            column_id: Any
            card_type_id: Any
            title: Any
            assigned_agent_id: Any
            assigned_user_id: Any
            priority: Any
            due_date: Any
            due_all_day: Any
            version: Any
            archived_at: Any
            claim: Any
            project_archived_at: Any
            agent_pickup_enabled: Any
            agent_can_moderate: Any
            comments_enabled: Any
            files_enabled: Any
            card_type_archived_at: Any

        class GetFullRow(TypedDict):
            id: Any
            org_id: Any
            project_id: Any
            number: Any
            key: Any
            column_id: Any
            card_type_id: Any
            title: Any
            assigned_agent_id: Any
            assigned_user_id: Any
            priority: Any
            due_date: Any
            due_all_day: Any
            version: Any
            blocked_by: Any
            checklist: Any
            created_by: Any
            created_at: Any
            updated_at: Any
            archived_at: Any
            field_values: Any
            mentions: Any
            parent: Any
            parts: Any
            claim: Any
            project_archived_at: Any
            agent_pickup_enabled: Any
            agent_can_moderate: Any
            comments_enabled: Any
            files_enabled: Any
            card_type_archived_at: Any

        class ListByChangeRow(TypedDict):
            id: Any

        class ListByDueDateRow(TypedDict):
            id: Any

        class ListByIdsRow(TypedDict):
            id: Any
            card: Any

        class ListByRankRow(TypedDict):
            id: Any

        class ListByUrgencyRow(TypedDict):
            id: Any

        class ListNamedIdsRow(TypedDict):
            id: Any

        class ListOfAgentRow(TypedDict):
            id: Any

        class ListOfOrganizationRow(TypedDict):
            id: Any

        class ListOfTypeRow(TypedDict):
            id: Any

        class ListOfUrgencyRow(TypedDict):
            id: Any

        class ListOfUserRow(TypedDict):
            id: Any

        class ListSortedRow(TypedDict):
            id: Any

        archive: Statement[NoColumns]
        count: Statement[NoColumns]
        count_by_filter: Statement[NoColumns]
        count_by_title: Statement[NoColumns]
        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        get: Statement[GetRow]
        get_full: Statement[GetFullRow]
        increment_version: Statement[NoColumns]
        list_by_change: Statement[ListByChangeRow]
        list_by_due_date: Statement[ListByDueDateRow]
        list_by_ids: Statement[ListByIdsRow]
        list_by_rank: Statement[ListByRankRow]
        list_by_urgency: Statement[ListByUrgencyRow]
        list_named_ids: Statement[ListNamedIdsRow]
        list_of_agent: Statement[ListOfAgentRow]
        list_of_organization: Statement[ListOfOrganizationRow]
        list_of_type: Statement[ListOfTypeRow]
        list_of_urgency: Statement[ListOfUrgencyRow]
        list_of_user: Statement[ListOfUserRow]
        list_sorted: Statement[ListSortedRow]
        move: Statement[NoColumns]
        restore: Statement[NoColumns]
        transfer: Statement[NoColumns]
        update: Statement[NoColumns]

    class changes:
        class ListRow(TypedDict):
            count: Any
            last_id: Any
            scanned_count: Any
            last_scanned_id: Any
            items: Any

        has_changes: Statement[NoColumns]
        list: Statement[ListRow]

    class claims:
        class ClaimCardRow(TypedDict):
            prompt_version_id: Any

        class FindBestRow(TypedDict):
            id: Any

        class FindBestAnsweredRow(TypedDict):
            id: Any

        class FindOfOtherSessionRow(TypedDict):
            card_id: Any

        class ListLiveRow(TypedDict):
            card_id: Any
            expires_at: Any
            frozen_until: Any

        class ListOfAgentRow(TypedDict):
            card_id: Any
            card_key: Any
            title: Any
            project_id: Any
            column_id: Any
            agent_id: Any
            token: Any
            claimed_at: Any
            renewed_at: Any
            expires_at: Any
            prompt_version_id: Any
            session: Any

        class ReleaseAgentRow(TypedDict):
            card_id: Any
            agent_id: Any
            was_live: Any

        class ReleaseCardsRow(TypedDict):
            card_id: Any
            agent_id: Any
            was_live: Any

        class ReleaseTeamRow(TypedDict):
            card_id: Any
            agent_id: Any
            was_live: Any

        claim_card: Statement[ClaimCardRow]
        find_best: Statement[FindBestRow]
        find_best_answered: Statement[FindBestAnsweredRow]
        find_of_other_session: Statement[FindOfOtherSessionRow]
        is_renewal_due: Statement[NoColumns]
        list_live: Statement[ListLiveRow]
        list_of_agent: Statement[ListOfAgentRow]
        next_expiry: Statement[NoColumns]
        release: Statement[NoColumns]
        release_agent: Statement[ReleaseAgentRow]
        release_cards: Statement[ReleaseCardsRow]
        release_team: Statement[ReleaseTeamRow]
        renew: Statement[NoColumns]
        renew_session: Statement[NoColumns]
        set_expiry: Statement[NoColumns]

    class columns:
        class CountCardsRow(TypedDict):
            card_count: Any

        class GetRow(TypedDict):
            id: Any
            project_id: Any
            title: Any
            order: Any
            agent_pickup_enabled: Any
            agent_can_moderate: Any
            column_type: Any
            wip_limit: Any
            required_field_ids: Any
            rejects_blocked: Any
            prompt_id: Any
            created_at: Any

        class GetFirstRow(TypedDict):
            id: Any
            wip_limit: Any

        class ListRow(TypedDict):
            id: Any
            project_id: Any
            title: Any
            order: Any
            agent_pickup_enabled: Any
            agent_can_moderate: Any
            column_type: Any
            wip_limit: Any
            required_field_ids: Any
            rejects_blocked: Any
            prompt_id: Any
            created_at: Any

        class ListCardsRow(TypedDict):
            id: Any

        clear_prompt: Statement[NoColumns]
        close_gap: Statement[NoColumns]
        count: Statement[NoColumns]
        count_all_cards: Statement[NoColumns]
        count_cards: Statement[CountCardsRow]
        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        delete_transitions: Statement[NoColumns]
        get: Statement[GetRow]
        get_first: Statement[GetFirstRow]
        list: Statement[ListRow]
        list_cards: Statement[ListCardsRow]
        open_gap: Statement[NoColumns]
        remove_required_field: Statement[NoColumns]
        update: Statement[NoColumns]

    class comments:
        class CountRow(TypedDict):
            comment_count: Any

        class CountRepliesRow(TypedDict):
            reply_count: Any

        class GetContentRow(TypedDict):
            content: Any

        class GetParentRow(TypedDict):
            id: Any
            parent_id: Any

        class ListRow(TypedDict):
            id: Any
            content: Any
            actor: Any
            replies: Any
            replies_total: Any
            asks: Any
            mentions: Any
            imported: Any
            created_at: Any

        class ListNewestRow(TypedDict):
            id: Any
            content: Any
            actor: Any
            replies: Any
            replies_total: Any
            asks: Any
            mentions: Any
            imported: Any
            created_at: Any

        class ListRepliesRow(TypedDict):
            id: Any
            content: Any
            actor: Any
            replies: Any
            replies_total: Any
            asks: Any
            mentions: Any
            imported: Any
            created_at: Any

        count: Statement[CountRow]
        count_replies: Statement[CountRepliesRow]
        create: Statement[NoColumns]
        get_content: Statement[GetContentRow]
        get_parent: Statement[GetParentRow]
        list: Statement[ListRow]
        list_newest: Statement[ListNewestRow]
        list_replies: Statement[ListRepliesRow]

    class context:
        class GetColumnRow(TypedDict):
            id: Any
            title: Any
            agent_pickup_enabled: Any
            agent_can_moderate: Any
            project: Any
            card_type: Any
            prompt_name: Any
            prompt_version: Any
            prompt_body: Any

        class GetMoveRequestRow(TypedDict):
            id: Any
            card_id: Any
            card_key: Any
            from_column_id: Any
            to_column_id: Any
            requested_by: Any
            note: Any
            state: Any
            decided_by: Any
            decision_note: Any
            created_at: Any
            decided_at: Any

        class GetQuestionRow(TypedDict):
            comment_id: Any
            card_id: Any
            card_key: Any
            title: Any
            agent_id: Any
            content: Any
            state: Any
            options: Any
            created_at: Any
            answered_by: Any
            answered_at: Any
            answer: Any

        class ListCommentsRow(TypedDict):
            id: Any
            parent_id: Any
            content: Any
            actor: Any
            imported: Any
            created_at: Any
            total: Any

        class ListFieldsRow(TypedDict):
            name: Any
            value: Any

        class ListFilesRow(TypedDict):
            id: Any
            field: Any
            name: Any
            size_bytes: Any

        class ListPartsRow(TypedDict):
            kind: Any
            key: Any
            title: Any
            column: Any
            done: Any

        class ListRelationsRow(TypedDict):
            kind: Any
            key: Any
            title: Any
            column: Any
            done: Any

        get_column: Statement[GetColumnRow]
        get_move_request: Statement[GetMoveRequestRow]
        get_question: Statement[GetQuestionRow]
        list_comments: Statement[ListCommentsRow]
        list_fields: Statement[ListFieldsRow]
        list_files: Statement[ListFilesRow]
        list_parts: Statement[ListPartsRow]
        list_relations: Statement[ListRelationsRow]

    class database_usage:
        class CountFreePagesRow(TypedDict):
            freelist_count: Any

        class CountPagesRow(TypedDict):
            page_count: Any

        class ListRow(TypedDict):
            org_id: Any
            used_bytes: Any
            is_exempt: Any

        class PageBytesRow(TypedDict):
            page_size: Any

        count_free_pages: Statement[CountFreePagesRow]
        count_pages: Statement[CountPagesRow]
        list: Statement[ListRow]
        page_bytes: Statement[PageBytesRow]
        upsert: Statement[NoColumns]

    class deliveries:
        class ListRow(TypedDict):
            id: Any
            event_id: Any
            type: Any
            state: Any
            attempts: Any
            status_code: Any
            error: Any
            duration_ms: Any
            next_attempt_at: Any
            created_at: Any
            delivered_at: Any

        class ListDueRow(TypedDict):
            id: Any
            type: Any
            event: Any
            attempts: Any

        count: Statement[NoColumns]
        create: Statement[NoColumns]
        delete_old: Statement[NoColumns]
        list: Statement[ListRow]
        list_due: Statement[ListDueRow]
        record_attempt: Statement[NoColumns]
        retry_now: Statement[NoColumns]

    class directory:
        class GetCardRow(TypedDict):
            id: Any
            key: Any
            title: Any
            project_id: Any
            card_type_id: Any
            column_id: Any

        class ListFormerRow(TypedDict):
            id: Any
            name: Any

        class ListNamesRow(TypedDict):
            id: Any
            name: Any

        class ListProjectsRow(TypedDict):
            key: Any
            title: Any
            work_in: Any
            talk_in: Any

        class ListTeamsRow(TypedDict):
            id: Any
            name: Any

        get_card: Statement[GetCardRow]
        is_known: Statement[NoColumns]
        is_known_card: Statement[NoColumns]
        list_former: Statement[ListFormerRow]
        list_names: Statement[ListNamesRow]
        list_projects: Statement[ListProjectsRow]
        list_teams: Statement[ListTeamsRow]

    class events:
        class FindFromRow(TypedDict):
            id: Any
            created_at: Any

        class IdRangeRow(TypedDict):
            first_id: Any
            first_type: Any
            first_at: Any
            last_id: Any
            restored_id: Any
            restored_at: Any

        class ListFramesRow(TypedDict):
            count: Any
            last_id: Any
            frames: Any

        create: Statement[NoColumns]
        delete_old: Statement[NoColumns]
        find_from: Statement[FindFromRow]
        find_page_end: Statement[NoColumns]
        id_range: Statement[IdRangeRow]
        list_frames: Statement[ListFramesRow]

    class exports:
        class AgentsRow(TypedDict):
            row: Any

        class ApiKeysRow(TypedDict):
            row: Any

        class CardTypesRow(TypedDict):
            row: Any

        class CardsRow(TypedDict):
            row: Any

        class ColumnsRow(TypedDict):
            row: Any

        class CommentsRow(TypedDict):
            row: Any

        class ContentsRow(TypedDict):
            id: Any
            card_id: Any
            name: Any
            size_bytes: Any
            lost_since: Any

        class FieldsRow(TypedDict):
            row: Any

        class FilesRow(TypedDict):
            row: Any

        class FormerMembersRow(TypedDict):
            row: Any

        class HistoryRow(TypedDict):
            row: Any

        class MembersRow(TypedDict):
            row: Any

        class OrganizationRow(TypedDict):
            row: Any

        class PermissionsRow(TypedDict):
            row: Any

        class PresetsRow(TypedDict):
            row: Any

        class ProjectsRow(TypedDict):
            row: Any

        class PromptCategoriesRow(TypedDict):
            row: Any

        class PromptVersionsRow(TypedDict):
            row: Any

        class PromptsRow(TypedDict):
            row: Any

        class RelationshipsRow(TypedDict):
            row: Any

        class TeamsRow(TypedDict):
            row: Any

        class ToolServersRow(TypedDict):
            row: Any

        class TransitionsRow(TypedDict):
            row: Any

        agents: Statement[AgentsRow]
        api_keys: Statement[ApiKeysRow]
        card_types: Statement[CardTypesRow]
        cards: Statement[CardsRow]
        columns: Statement[ColumnsRow]
        comments: Statement[CommentsRow]
        contents: Statement[ContentsRow]
        fields: Statement[FieldsRow]
        files: Statement[FilesRow]
        former_members: Statement[FormerMembersRow]
        history: Statement[HistoryRow]
        members: Statement[MembersRow]
        organization: Statement[OrganizationRow]
        permissions: Statement[PermissionsRow]
        presets: Statement[PresetsRow]
        projects: Statement[ProjectsRow]
        prompt_categories: Statement[PromptCategoriesRow]
        prompt_versions: Statement[PromptVersionsRow]
        prompts: Statement[PromptsRow]
        relationships: Statement[RelationshipsRow]
        teams: Statement[TeamsRow]
        tool_servers: Statement[ToolServersRow]
        transitions: Statement[TransitionsRow]

    class field_values:
        class GetMentionsRow(TypedDict):
            mentions: Any

        class ListRow(TypedDict):
            field_id: Any
            name: Any
            kind: Any
            value: Any

        class ListByFieldsRow(TypedDict):
            field_id: Any
            value: Any

        class ListFilledRow(TypedDict):
            field_id: Any

        class ListOfCardsRow(TypedDict):
            card_id: Any
            field_values: Any

        class ListUsedRow(TypedDict):
            field_id: Any
            values: Any

        delete: Statement[NoColumns]
        delete_all: Statement[NoColumns]
        get_mentions: Statement[GetMentionsRow]
        list: Statement[ListRow]
        list_by_fields: Statement[ListByFieldsRow]
        list_card_ids: Statement[NoColumns]
        list_filled: Statement[ListFilledRow]
        list_of_cards: Statement[ListOfCardsRow]
        list_used: Statement[ListUsedRow]
        total_size: Statement[NoColumns]
        upsert: Statement[NoColumns]

    class fields:
        class FindRow(TypedDict):
            id: Any

        class FindByNameRow(TypedDict):
            id: Any

        class GetRow(TypedDict):
            id: Any
            card_type_id: Any
            name: Any
            label: Any
            kind: Any
            required: Any
            options: Any
            order: Any
            validation: Any
            multiple: Any
            show_on_card: Any
            option_colors: Any
            created_at: Any

        class ListRow(TypedDict):
            id: Any
            card_type_id: Any
            name: Any
            label: Any
            kind: Any
            required: Any
            options: Any
            order: Any
            validation: Any
            multiple: Any
            show_on_card: Any
            option_colors: Any
            created_at: Any

        class ListByIdsRow(TypedDict):
            id: Any
            card_type_id: Any
            name: Any
            label: Any
            kind: Any
            required: Any
            options: Any
            order: Any
            validation: Any
            multiple: Any
            show_on_card: Any
            option_colors: Any
            created_at: Any

        class ListNamesOfProjectRow(TypedDict):
            name: Any

        class ListOfOrganizationRow(TypedDict):
            id: Any
            name: Any
            kind: Any
            is_active: Any

        class ListPatternsRow(TypedDict):
            id: Any
            kind: Any
            options: Any
            validation: Any

        class ListUsageRow(TypedDict):
            id: Any
            title: Any
            value_count: Any
            file_count: Any

        close_gap: Statement[NoColumns]
        count: Statement[NoColumns]
        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        find: Statement[FindRow]
        find_by_name: Statement[FindByNameRow]
        get: Statement[GetRow]
        list: Statement[ListRow]
        list_by_ids: Statement[ListByIdsRow]
        list_names_of_project: Statement[ListNamesOfProjectRow]
        list_of_organization: Statement[ListOfOrganizationRow]
        list_patterns: Statement[ListPatternsRow]
        list_usage: Statement[ListUsageRow]
        open_gap: Statement[NoColumns]
        update: Statement[NoColumns]

    class files:
        class GetRow(TypedDict):
            id: Any
            org_id: Any
            card_id: Any
            field_id: Any
            name: Any
            mime_type: Any
            size_bytes: Any
            sha256: Any
            lost_since: Any
            uploaded_at: Any

        class ListRow(TypedDict):
            id: Any
            org_id: Any
            card_id: Any
            field_id: Any
            name: Any
            mime_type: Any
            size_bytes: Any
            sha256: Any
            uploaded_at: Any

        class ListAllRow(TypedDict):
            org_id: Any
            card_id: Any
            id: Any

        class ListOfCardRow(TypedDict):
            id: Any
            org_id: Any
            card_id: Any
            field_id: Any
            name: Any
            mime_type: Any
            size_bytes: Any
            sha256: Any
            uploaded_at: Any

        class ListToCheckRow(TypedDict):
            id: Any
            org_id: Any
            card_id: Any
            size_bytes: Any
            sha256: Any
            lost_since: Any

        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        get: Statement[GetRow]
        list: Statement[ListRow]
        list_all: Statement[ListAllRow]
        list_of_card: Statement[ListOfCardRow]
        list_to_check: Statement[ListToCheckRow]
        set_field: Statement[NoColumns]
        total_size: Statement[NoColumns]
        update_state: Statement[NoColumns]

    class former_card_keys:
        class FindNumberRow(TypedDict):
            number: Any

        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        find_number: Statement[FindNumberRow]

    class freeze:
        class GetRow(TypedDict):
            reason: Any
            until: Any
            frozen_at: Any
            frozen_by: Any

        delete: Statement[NoColumns]
        get: Statement[GetRow]
        upsert: Statement[NoColumns]

    class guard:
        class FindCreationTimeRow(TypedDict):
            created_at: Any

        count_cards_of_hour: Statement[NoColumns]
        count_comments: Statement[NoColumns]
        count_created_cards: Statement[NoColumns]
        count_returns: Statement[NoColumns]
        find_creation_time: Statement[FindCreationTimeRow]

    class history:
        class CountRow(TypedDict):
            history_count: Any

        class ListRow(TypedDict):
            id: Any
            card_id: Any
            actor: Any
            action: Any
            changes: Any
            imported: Any
            created_at: Any

        class ListNewestRow(TypedDict):
            id: Any
            card_id: Any
            actor: Any
            action: Any
            changes: Any
            imported: Any
            created_at: Any

        count: Statement[CountRow]
        create: Statement[NoColumns]
        last_change: Statement[NoColumns]
        list: Statement[ListRow]
        list_newest: Statement[ListNewestRow]

    class imports:
        class FindRow(TypedDict):
            last_step: Any

        class FindCardByNumberRow(TypedDict):
            id: Any

        class FindConflictingFieldRow(TypedDict):
            id: Any

        class FindConflictingPresetRow(TypedDict):
            id: Any

        class FindConflictingPromptVersionRow(TypedDict):
            id: Any

        class FindConflictingRelationshipRow(TypedDict):
            id: Any

        class FindConflictingToolServerRow(TypedDict):
            id: Any

        class FindConflictingTransitionRow(TypedDict):
            id: Any

        class FindFormerCardRow(TypedDict):
            card_id: Any

        class FindHistoryRow(TypedDict):
            id: Any

        class GetAgentRow(TypedDict):
            id: Any
            org_id: Any
            title: Any
            team_id: Any
            status: Any
            last_seen_at: Any
            machine_name: Any
            machine_ip: Any
            llm_version: Any
            email: Any
            os_name: Any
            os_version: Any
            ram_bytes: Any
            storage_bytes: Any
            storage_type: Any
            created_at: Any

        class GetCardRow(TypedDict):
            id: Any
            org_id: Any
            project_id: Any
            number: Any
            column_id: Any
            card_type_id: Any
            title: Any
            assigned_agent_id: Any
            assigned_user_id: Any
            priority: Any
            due_date: Any
            due_all_day: Any
            rank_key: Any
            version: Any
            created_by: Any
            created_at: Any
            updated_at: Any
            archived_at: Any
            archived_by: Any
            archive_id: Any

        class GetCardTypeRow(TypedDict):
            id: Any
            org_id: Any
            project_id: Any
            title: Any
            color: Any
            comments_enabled: Any
            files_enabled: Any
            created_at: Any
            archived_at: Any
            archived_by: Any
            archive_id: Any

        class GetColumnRow(TypedDict):
            id: Any
            org_id: Any
            project_id: Any
            title: Any
            order: Any
            agent_pickup_enabled: Any
            agent_can_moderate: Any
            column_type: Any
            wip_limit: Any
            required_field_ids: Any
            rejects_blocked: Any
            prompt_id: Any
            created_at: Any
            archived_at: Any
            archived_by: Any
            archive_id: Any

        class GetCommentRow(TypedDict):
            id: Any
            org_id: Any
            card_id: Any
            parent_id: Any
            content: Any
            actor_type: Any
            actor_id: Any
            actor_label: Any
            mentions: Any
            imported: Any
            created_at: Any

        class GetFieldRow(TypedDict):
            id: Any
            org_id: Any
            card_type_id: Any
            name: Any
            label: Any
            kind: Any
            required: Any
            options: Any
            order: Any
            validation: Any
            multiple: Any
            show_on_card: Any
            option_colors: Any
            created_at: Any

        class GetFieldValueRow(TypedDict):
            value: Any
            mentions: Any

        class GetFileRow(TypedDict):
            id: Any
            org_id: Any
            card_id: Any
            field_id: Any
            name: Any
            mime_type: Any
            size_bytes: Any
            sha256: Any
            uploaded_at: Any

        class GetHistoryRowRow(TypedDict):
            id: Any
            org_id: Any
            card_id: Any
            actor_type: Any
            actor_id: Any
            actor_label: Any
            action: Any
            changes: Any
            imported: Any
            created_at: Any

        class GetMarkRow(TypedDict):
            imported_at: Any

        class GetOrganizationRow(TypedDict):
            id: Any
            title: Any
            color: Any
            owner_id: Any
            timezone: Any
            created_at: Any
            archived_at: Any

        class GetPresetRow(TypedDict):
            id: Any
            org_id: Any
            card_type_id: Any
            preset_name: Any
            field_id: Any
            value: Any

        class GetProjectRow(TypedDict):
            id: Any
            org_id: Any
            title: Any
            key: Any
            last_number: Any
            color: Any
            display: Any
            created_at: Any
            archived_at: Any
            archived_by: Any
            archive_id: Any

        class GetPromptRow(TypedDict):
            id: Any
            org_id: Any
            name: Any
            category_id: Any
            current_version_id: Any
            created_at: Any
            updated_at: Any
            archived_at: Any

        class GetPromptCategoryRow(TypedDict):
            id: Any
            org_id: Any
            name: Any
            color: Any
            created_at: Any

        class GetPromptVersionRow(TypedDict):
            id: Any
            org_id: Any
            prompt_id: Any
            label: Any
            body: Any
            active: Any
            created_at: Any

        class GetRelationshipRow(TypedDict):
            id: Any
            org_id: Any
            from_card_id: Any
            to_card_id: Any
            kind: Any
            comment: Any
            created_at: Any

        class GetRoleRow(TypedDict):
            role: Any

        class GetTeamRow(TypedDict):
            id: Any
            org_id: Any
            name: Any
            onboarding_doc: Any
            created_at: Any
            archived_at: Any
            archived_by: Any
            archive_id: Any

        class GetToolServerRow(TypedDict):
            id: Any
            org_id: Any
            name: Any
            transport: Any
            command: Any
            args: Any
            url: Any
            auth_kind: Any
            enabled: Any
            created_at: Any

        class GetTransitionRow(TypedDict):
            id: Any
            org_id: Any
            project_id: Any
            from_column_id: Any
            to_column_id: Any
            requires_approval: Any
            created_at: Any
            archived_at: Any
            archive_id: Any

        class ListBlockingPairsRow(TypedDict):
            blocking_card_id: Any
            blocked_card_id: Any

        class ListCardTypesOfFieldsRow(TypedDict):
            parent_id: Any

        class ListCardsWithoutHistoryRow(TypedDict):
            id: Any

        class ListChangedPromptsRow(TypedDict):
            id: Any

        class ListChangesSinceRow(TypedDict):
            type: Any
            project_id: Any
            column_id: Any
            agent_id: Any

        class ListColumnsOfProjectRow(TypedDict):
            id: Any
            position: Any

        class ListFieldsOfCardTypeRow(TypedDict):
            id: Any
            position: Any

        class ListInProgressRow(TypedDict):
            org_id: Any
            last_step: Any

        class ListProjectsOfColumnsRow(TypedDict):
            parent_id: Any

        class ListRemovedCardsRow(TypedDict):
            card_id: Any

        class ListSchemaRow(TypedDict):
            sql: Any

        class ListVersionsRow(TypedDict):
            id: Any
            active: Any
            size: Any

        class NextBatchRow(TypedDict):
            number: Any
            steps: Any
            further: Any

        add_team_member: Statement[NoColumns]
        clear_current_version: Statement[NoColumns]
        commit: Statement[NoColumns]
        create: Statement[NoColumns]
        create_batch: Statement[NoColumns]
        create_organization: Statement[NoColumns]
        deactivate_version: Statement[NoColumns]
        delete: Statement[NoColumns]
        delete_batches: Statement[NoColumns]
        delete_old_marks: Statement[NoColumns]
        fill_mentions_of_comment: Statement[NoColumns]
        find: Statement[FindRow]
        find_card_by_number: Statement[FindCardByNumberRow]
        find_change_of_card: Statement[NoColumns]
        find_conflicting_field: Statement[FindConflictingFieldRow]
        find_conflicting_preset: Statement[FindConflictingPresetRow]
        find_conflicting_prompt_version: Statement[FindConflictingPromptVersionRow]
        find_conflicting_relationship: Statement[FindConflictingRelationshipRow]
        find_conflicting_tool_server: Statement[FindConflictingToolServerRow]
        find_conflicting_transition: Statement[FindConflictingTransitionRow]
        find_former_card: Statement[FindFormerCardRow]
        find_history: Statement[FindHistoryRow]
        first_batch: Statement[NoColumns]
        get_agent: Statement[GetAgentRow]
        get_card: Statement[GetCardRow]
        get_card_type: Statement[GetCardTypeRow]
        get_column: Statement[GetColumnRow]
        get_comment: Statement[GetCommentRow]
        get_field: Statement[GetFieldRow]
        get_field_value: Statement[GetFieldValueRow]
        get_file: Statement[GetFileRow]
        get_history_row: Statement[GetHistoryRowRow]
        get_mark: Statement[GetMarkRow]
        get_organization: Statement[GetOrganizationRow]
        get_preset: Statement[GetPresetRow]
        get_project: Statement[GetProjectRow]
        get_prompt: Statement[GetPromptRow]
        get_prompt_category: Statement[GetPromptCategoryRow]
        get_prompt_version: Statement[GetPromptVersionRow]
        get_relationship: Statement[GetRelationshipRow]
        get_role: Statement[GetRoleRow]
        get_team: Statement[GetTeamRow]
        get_tool_server: Statement[GetToolServerRow]
        get_transition: Statement[GetTransitionRow]
        has_events_before: Statement[NoColumns]
        has_foreign_cards: Statement[NoColumns]
        has_team_members: Statement[NoColumns]
        list_blocking_pairs: Statement[ListBlockingPairsRow]
        list_card_types_of_fields: Statement[ListCardTypesOfFieldsRow]
        list_cards_without_history: Statement[ListCardsWithoutHistoryRow]
        list_changed_prompts: Statement[ListChangedPromptsRow]
        list_changes_since: Statement[ListChangesSinceRow]
        list_columns_of_project: Statement[ListColumnsOfProjectRow]
        list_fields_of_card_type: Statement[ListFieldsOfCardTypeRow]
        list_in_progress: Statement[ListInProgressRow]
        list_projects_of_columns: Statement[ListProjectsOfColumnsRow]
        list_removed_cards: Statement[ListRemovedCardsRow]
        list_schema: Statement[ListSchemaRow]
        list_versions: Statement[ListVersionsRow]
        next_batch: Statement[NextBatchRow]
        raise_last_number: Statement[NoColumns]
        set_column_position: Statement[NoColumns]
        set_field_position: Statement[NoColumns]
        update_permission: Statement[NoColumns]
        write_agents: Statement[NoColumns]
        write_card_types: Statement[NoColumns]
        write_cards: Statement[NoColumns]
        write_columns: Statement[NoColumns]
        write_comments: Statement[NoColumns]
        write_fields: Statement[NoColumns]
        write_files: Statement[NoColumns]
        write_former_card_keys: Statement[NoColumns]
        write_history: Statement[NoColumns]
        write_mark: Statement[NoColumns]
        write_presets: Statement[NoColumns]
        write_projects: Statement[NoColumns]
        write_prompt_categories: Statement[NoColumns]
        write_prompt_versions: Statement[NoColumns]
        write_prompts: Statement[NoColumns]
        write_questions: Statement[NoColumns]
        write_relationships: Statement[NoColumns]
        write_teams: Statement[NoColumns]
        write_tool_servers: Statement[NoColumns]
        write_transitions: Statement[NoColumns]

    class invitations:
        class FindByCodeRow(TypedDict):
            org_id: Any
            title: Any
            role: Any

        class GetRow(TypedDict):
            user_id: Any
            email: Any
            full_name: Any
            handle: Any
            role: Any
            state: Any
            created_at: Any

        delete: Statement[NoColumns]
        find_by_code: Statement[FindByCodeRow]
        get: Statement[GetRow]
        update: Statement[NoColumns]
        upsert: Statement[NoColumns]

    class jobs:
        class FindConflictRow(TypedDict):
            resource_type: Any
            state: Any

        class FindInProjectRow(TypedDict):
            resource_type: Any
            state: Any

        class GetRow(TypedDict):
            id: Any
            org_id: Any
            kind: Any
            resource_type: Any
            resource_id: Any
            state: Any
            actor: Any
            parameters: Any

        class ListRow(TypedDict):
            id: Any
            org_id: Any
            kind: Any

        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        exists: Statement[NoColumns]
        find_conflict: Statement[FindConflictRow]
        find_in_project: Statement[FindInProjectRow]
        get: Statement[GetRow]
        is_moving_into: Statement[NoColumns]
        list: Statement[ListRow]
        update_parameters: Statement[NoColumns]

    class lost_files:
        class ListRow(TypedDict):
            id: Any
            card_id: Any
            card_key: Any
            name: Any

        count: Statement[NoColumns]
        list: Statement[ListRow]

    class lost_secrets:
        class ListToolServersRow(TypedDict):
            id: Any
            name: Any
            env: Any
            auth_token: Any

        class ListWebhooksRow(TypedDict):
            id: Any
            name: Any
            secret: Any

        list_tool_servers: Statement[ListToolServersRow]
        list_webhooks: Statement[ListWebhooksRow]

    class mcp_servers:
        class FindByNameRow(TypedDict):
            id: Any

        class GetRow(TypedDict):
            id: Any
            name: Any
            transport: Any
            command: Any
            args: Any
            env: Any
            url: Any
            auth_kind: Any
            auth_token: Any
            enabled: Any
            created_at: Any

        class ListRow(TypedDict):
            id: Any
            name: Any
            transport: Any
            command: Any
            args: Any
            env: Any
            url: Any
            auth_kind: Any
            auth_token: Any
            enabled: Any
            created_at: Any

        class ListEncryptedRow(TypedDict):
            id: Any
            env: Any
            auth_token: Any

        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        find_by_name: Statement[FindByNameRow]
        get: Statement[GetRow]
        list: Statement[ListRow]
        list_encrypted: Statement[ListEncryptedRow]
        reencrypt: Statement[NoColumns]
        update: Statement[NoColumns]

    class members:
        class FindByAgentIdRow(TypedDict):
            id: Any

        class GetRow(TypedDict):
            user_id: Any
            email: Any
            full_name: Any
            handle: Any
            role: Any
            state: Any
            created_at: Any

        class ListRow(TypedDict):
            user_id: Any
            email: Any
            full_name: Any
            handle: Any
            role: Any
            state: Any
            created_at: Any

        class ListAssignedCardsRow(TypedDict):
            id: Any

        count_architects: Statement[NoColumns]
        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        find_by_agent_id: Statement[FindByAgentIdRow]
        get: Statement[GetRow]
        is_architect_anywhere: Statement[NoColumns]
        is_elsewhere: Statement[NoColumns]
        leave_teams: Statement[NoColumns]
        list: Statement[ListRow]
        list_assigned_cards: Statement[ListAssignedCardsRow]
        update: Statement[NoColumns]

    class mentions:
        class ListTargetsRow(TypedDict):
            name: Any
            type: Any
            id: Any

        list_of_comment: Statement[NoColumns]
        list_targets: Statement[ListTargetsRow]

    class monitoring:
        class GaugesRow(TypedDict):
            events: Any
            claims: Any
            deliveries_pending: Any
            search_backlog: Any
            lost_files: Any

        check_write: Statement[NoColumns]
        gauges: Statement[GaugesRow]

    class move_requests:
        class FindOpenRow(TypedDict):
            id: Any

        class GetRow(TypedDict):
            id: Any
            card_id: Any
            card_key: Any
            from_column_id: Any
            to_column_id: Any
            requested_by: Any
            note: Any
            state: Any
            decided_by: Any
            decision_note: Any
            created_at: Any
            decided_at: Any

        class ListRow(TypedDict):
            id: Any
            card_id: Any
            card_key: Any
            from_column_id: Any
            to_column_id: Any
            requested_by: Any
            note: Any
            state: Any
            decided_by: Any
            decision_note: Any
            created_at: Any
            decided_at: Any

        class ListOpenOfAgentRow(TypedDict):
            id: Any
            card_id: Any
            card_key: Any
            from_column_id: Any
            to_column_id: Any
            requested_by: Any
            note: Any
            state: Any
            decided_by: Any
            decision_note: Any
            created_at: Any
            decided_at: Any

        count: Statement[NoColumns]
        create: Statement[NoColumns]
        decide: Statement[NoColumns]
        find_open: Statement[FindOpenRow]
        get: Statement[GetRow]
        list: Statement[ListRow]
        list_open_of_agent: Statement[ListOpenOfAgentRow]

    class moves:
        class FindWayBackRow(TypedDict):
            to_column_id: Any
            from_column_id: Any

        class ListDestinationsRow(TypedDict):
            id: Any
            title: Any
            wip_limit: Any
            rejects_blocked: Any
            column_type: Any
            agent_pickup_enabled: Any
            transition_id: Any
            requires_approval: Any
            required_fields: Any
            held: Any
            last_rank_key: Any

        find_way_back: Statement[FindWayBackRow]
        list_destinations: Statement[ListDestinationsRow]

    class my_cards:
        class ListRow(TypedDict):
            id: Any
            location: Any

        count: Statement[NoColumns]
        list: Statement[ListRow]

    class next_steps:
        class GetCardRow(TypedDict):
            archived_at: Any
            column: Any
            column_type: Any
            agent_pickup_enabled: Any
            agent_can_moderate: Any
            claimed_by: Any
            session: Any

        get_card: Statement[GetCardRow]

    class operations:
        class CountEventsSinceRow(TypedDict):
            type: Any
            count: Any
            last_at: Any

        class LastEventIdRow(TypedDict):
            id: Any

        class ListDatabaseUsageRow(TypedDict):
            id: Any
            title: Any
            used_bytes: Any
            is_exempt: Any

        class ListFilesRow(TypedDict):
            org_id: Any
            card_id: Any
            id: Any
            size_bytes: Any

        class ListHashesRow(TypedDict):
            org_id: Any
            card_id: Any
            id: Any
            size_bytes: Any
            sha256: Any

        class ListOrganizationsRow(TypedDict):
            id: Any
            title: Any

        class ListOverQuotaRow(TypedDict):
            id: Any
            title: Any
            size_bytes: Any

        class ListWrongCountsRow(TypedDict):
            card_key: Any

        class SchemaVersionRow(TypedDict):
            user_version: Any

        count_events_since: Statement[CountEventsSinceRow]
        create_event: Statement[NoColumns]
        create_restore_event: Statement[NoColumns]
        has_events: Statement[NoColumns]
        has_hashes: Statement[NoColumns]
        last_event_id: Statement[LastEventIdRow]
        latest_timestamp: Statement[NoColumns]
        list_database_usage: Statement[ListDatabaseUsageRow]
        list_files: Statement[ListFilesRow]
        list_hashes: Statement[ListHashesRow]
        list_organizations: Statement[ListOrganizationsRow]
        list_over_quota: Statement[ListOverQuotaRow]
        list_wrong_counts: Statement[ListWrongCountsRow]
        rebuild_search: Statement[NoColumns]
        rebuild_search_parts: Statement[NoColumns]
        rebuild_titles: Statement[NoColumns]
        schema_version: Statement[SchemaVersionRow]

    class organizations:
        class GetRow(TypedDict):
            id: Any
            title: Any
            color: Any
            owner_id: Any
            timezone: Any
            created_at: Any

        class ListRow(TypedDict):
            id: Any
            title: Any
            color: Any
            owner_id: Any
            timezone: Any
            created_at: Any
            role: Any

        class ListIdsRow(TypedDict):
            id: Any

        archive: Statement[NoColumns]
        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        get: Statement[GetRow]
        list: Statement[ListRow]
        list_ids: Statement[ListIdsRow]
        update: Statement[NoColumns]

    class permissions:
        class GetRow(TypedDict):
            id: Any
            role: Any
            resource: Any
            actions: Any

        class ListRow(TypedDict):
            id: Any
            role: Any
            resource: Any
            actions: Any

        create: Statement[NoColumns]
        get: Statement[GetRow]
        list: Statement[ListRow]
        update: Statement[NoColumns]

    class preset_fields:
        class FindRow(TypedDict):
            id: Any

        class GetRow(TypedDict):
            id: Any
            card_type_id: Any
            preset_name: Any
            field_id: Any
            value: Any

        class ListRow(TypedDict):
            id: Any
            card_type_id: Any
            preset_name: Any
            field_id: Any
            value: Any

        class ListOfPresetRow(TypedDict):
            field_id: Any
            value: Any

        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        find: Statement[FindRow]
        get: Statement[GetRow]
        list: Statement[ListRow]
        list_of_preset: Statement[ListOfPresetRow]
        total_size: Statement[NoColumns]
        update: Statement[NoColumns]

    class project_keys:
        class FindCardsRow(TypedDict):
            id: Any
            key: Any
            is_archived: Any

        class FindProjectRow(TypedDict):
            project_id: Any

        count_by_prefix: Statement[NoColumns]
        find_cards: Statement[FindCardsRow]
        find_project: Statement[FindProjectRow]
        reserve: Statement[NoColumns]

    class projects:
        class ArchiveCardsRow(TypedDict):
            id: Any
            column_id: Any

        class GetRow(TypedDict):
            id: Any
            title: Any
            key: Any
            color: Any
            created_at: Any
            archived_at: Any
            display: Any

        class ListRow(TypedDict):
            id: Any
            title: Any
            key: Any
            color: Any
            created_at: Any
            archived_at: Any
            display: Any

        class NextNumberRow(TypedDict):
            last_number: Any

        archive: Statement[NoColumns]
        archive_card_types: Statement[NoColumns]
        archive_cards: Statement[ArchiveCardsRow]
        archive_columns: Statement[NoColumns]
        archive_transitions: Statement[NoColumns]
        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        get: Statement[GetRow]
        list: Statement[ListRow]
        next_number: Statement[NextNumberRow]
        update: Statement[NoColumns]

    class prompt_categories:
        class GetRow(TypedDict):
            id: Any
            name: Any
            color: Any

        class ListRow(TypedDict):
            id: Any
            name: Any
            color: Any

        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        get: Statement[GetRow]
        list: Statement[ListRow]
        update: Statement[NoColumns]

    class prompt_versions:
        class FindByLabelRow(TypedDict):
            id: Any

        class GetRow(TypedDict):
            id: Any
            label: Any
            body: Any
            active: Any
            created_at: Any

        class ListRow(TypedDict):
            id: Any
            label: Any
            body: Any
            active: Any
            created_at: Any

        activate: Statement[NoColumns]
        create: Statement[NoColumns]
        find_by_label: Statement[FindByLabelRow]
        get: Statement[GetRow]
        list: Statement[ListRow]
        total_size: Statement[NoColumns]

    class prompts:
        class FindByNameRow(TypedDict):
            id: Any

        class GetRow(TypedDict):
            id: Any
            name: Any
            category_id: Any
            current_version_id: Any
            created_at: Any
            updated_at: Any

        class GetCurrentRow(TypedDict):
            name: Any
            version: Any
            body: Any

        class ListRow(TypedDict):
            id: Any
            name: Any
            category_id: Any
            current_version_id: Any
            created_at: Any
            updated_at: Any

        archive: Statement[NoColumns]
        create: Statement[NoColumns]
        find_by_name: Statement[FindByNameRow]
        get: Statement[GetRow]
        get_current: Statement[GetCurrentRow]
        list: Statement[ListRow]
        set_current: Statement[NoColumns]
        update: Statement[NoColumns]

    class questions:
        class AnswerRow(TypedDict):
            agent_id: Any

        class FindOpenRow(TypedDict):
            comment_id: Any

        class GetRow(TypedDict):
            comment_id: Any
            agent_id: Any
            state: Any

        class ListRow(TypedDict):
            comment_id: Any
            card_id: Any
            card_key: Any
            title: Any
            agent_id: Any
            content: Any
            state: Any
            options: Any
            created_at: Any
            answered_by: Any
            answered_at: Any
            answer: Any

        class ListOpenOfAgentRow(TypedDict):
            comment_id: Any
            card_id: Any
            card_key: Any
            title: Any
            agent_id: Any
            content: Any
            state: Any
            options: Any
            created_at: Any
            answered_by: Any
            answered_at: Any
            answer: Any

        class WithdrawAgentRow(TypedDict):
            comment_id: Any
            card_id: Any

        class WithdrawOfCardRow(TypedDict):
            comment_id: Any
            agent_id: Any

        answer: Statement[AnswerRow]
        count: Statement[NoColumns]
        create: Statement[NoColumns]
        find_open: Statement[FindOpenRow]
        get: Statement[GetRow]
        list: Statement[ListRow]
        list_open_of_agent: Statement[ListOpenOfAgentRow]
        mark_answers_seen: Statement[NoColumns]
        withdraw: Statement[NoColumns]
        withdraw_agent: Statement[WithdrawAgentRow]
        withdraw_of_card: Statement[WithdrawOfCardRow]

    class ranks:
        class FindAboveRow(TypedDict):
            id: Any

        class GetRankRow(TypedDict):
            rank_key: Any

        class NthAfterRow(TypedDict):
            rank_key: Any

        find_above: Statement[FindAboveRow]
        get_rank: Statement[GetRankRow]
        highest: Statement[NoColumns]
        lowest: Statement[NoColumns]
        next_after: Statement[NoColumns]
        nth_after: Statement[NthAfterRow]
        rebalance: Statement[NoColumns]

    class refusals:
        class ListRow(TypedDict):
            id: Any
            agent_id: Any
            card_id: Any
            card_key: Any
            title: Any
            to_column_id: Any
            code: Any
            message: Any
            blockers: Any
            count: Any
            first_at: Any
            last_at: Any

        class UpsertRow(TypedDict):
            id: Any
            was_reported: Any

        count: Statement[NoColumns]
        delete_old: Statement[NoColumns]
        list: Statement[ListRow]
        mark_reported: Statement[NoColumns]
        upsert: Statement[UpsertRow]

    class relationships:
        class FindRow(TypedDict):
            id: Any

        class FindParentRow(TypedDict):
            id: Any

        class GetRow(TypedDict):
            id: Any
            from_card_id: Any
            to_card_id: Any
            from_card_key: Any
            to_card_key: Any
            kind: Any
            comment: Any
            created_at: Any

        class ListRow(TypedDict):
            id: Any
            from_card_id: Any
            to_card_id: Any
            from_card_key: Any
            to_card_key: Any
            kind: Any
            comment: Any
            created_at: Any

        class ListOfCardRow(TypedDict):
            id: Any
            from_card_id: Any
            to_card_id: Any
            from_card_key: Any
            to_card_key: Any
            kind: Any
            comment: Any
            created_at: Any

        class ListPartIdsRow(TypedDict):
            card_id: Any

        create: Statement[NoColumns]
        creates_cycle: Statement[NoColumns]
        delete: Statement[NoColumns]
        find: Statement[FindRow]
        find_parent: Statement[FindParentRow]
        get: Statement[GetRow]
        list: Statement[ListRow]
        list_blockers: Statement[NoColumns]
        list_of_card: Statement[ListOfCardRow]
        list_part_ids: Statement[ListPartIdsRow]

    class removal:
        class DeleteFilesOfFieldRow(TypedDict):
            id: Any
            org_id: Any
            card_id: Any

        class ListCardsOfOrganizationRow(TypedDict):
            id: Any
            org_id: Any
            has_files: Any

        class ListCardsOfProjectRow(TypedDict):
            id: Any
            org_id: Any
            has_files: Any

        delete_cards: Statement[NoColumns]
        delete_events: Statement[NoColumns]
        delete_files_of_field: Statement[DeleteFilesOfFieldRow]
        delete_values_of_field: Statement[NoColumns]
        list_cards_of_organization: Statement[ListCardsOfOrganizationRow]
        list_cards_of_project: Statement[ListCardsOfProjectRow]

    class retries:
        class FindRow(TypedDict):
            id: Any
            fingerprint: Any
            answer: Any

        class ListEncryptedRow(TypedDict):
            id: Any
            answer: Any

        delete_old: Statement[NoColumns]
        find: Statement[FindRow]
        list_encrypted: Statement[ListEncryptedRow]
        reencrypt: Statement[NoColumns]
        upsert: Statement[NoColumns]

    class search:
        class CreateCardRow(TypedDict):
            number: Any

        class FindValuePartRow(TypedDict):
            part: Any

        class GetCardRow(TypedDict):
            card_title: Any
            number: Any
            parts: Any
            comments_part: Any
            title: Any
            sources: Any
            fields: Any
            comments: Any

        class GetCommentContentRow(TypedDict):
            content: Any

        class GetFieldValueRow(TypedDict):
            value: Any

        class GetTitleRow(TypedDict):
            title: Any

        class ListBacklogRow(TypedDict):
            org_id: Any
            card_id: Any

        class ListByTitleRow(TypedDict):
            card_id: Any

        class ListCardIdsRow(TypedDict):
            card_id: Any

        class ListCardsRow(TypedDict):
            number: Any
            is_large: Any
            card_id: Any
            card_key: Any
            project_id: Any
            project_title: Any
            column_id: Any
            column_title: Any
            title: Any

        class ListCommentsRow(TypedDict):
            id: Any
            content: Any

        class ListCommentsByIdRow(TypedDict):
            id: Any
            content: Any

        class ListLargeSnippetsRow(TypedDict):
            number: Any
            title: Any
            sources: Any
            fields: Any
            comments: Any

        class ListNamedCardsRow(TypedDict):
            number: Any
            is_large: Any
            card_id: Any
            card_key: Any
            project_id: Any
            project_title: Any
            column_id: Any
            column_title: Any
            title: Any
            matches_filters: Any

        class ListPendingRow(TypedDict):
            card_id: Any
            kind: Any
            source_id: Any

        class ListSnippetsRow(TypedDict):
            number: Any
            title: Any
            sources: Any
            fields: Any
            comments: Any

        class ListValuesRow(TypedDict):
            field_id: Any
            value: Any

        class ListValuesByFieldRow(TypedDict):
            field_id: Any
            value: Any

        class NumberRangeRow(TypedDict):
            first: Any
            last: Any

        clear_pending: Statement[NoColumns]
        count_cards: Statement[NoColumns]
        create_card: Statement[CreateCardRow]
        create_part: Statement[NoColumns]
        create_text: Statement[NoColumns]
        create_title: Statement[NoColumns]
        create_value_part: Statement[NoColumns]
        delete_from_backlog: Statement[NoColumns]
        delete_part: Statement[NoColumns]
        delete_parts: Statement[NoColumns]
        delete_text: Statement[NoColumns]
        delete_title: Statement[NoColumns]
        delete_value_parts: Statement[NoColumns]
        find_value_part: Statement[FindValuePartRow]
        get_card: Statement[GetCardRow]
        get_comment_content: Statement[GetCommentContentRow]
        get_field_value: Statement[GetFieldValueRow]
        get_title: Statement[GetTitleRow]
        has_large_cards: Statement[NoColumns]
        list_backlog: Statement[ListBacklogRow]
        list_by_title: Statement[ListByTitleRow]
        list_card_ids: Statement[ListCardIdsRow]
        list_cards: Statement[ListCardsRow]
        list_comments: Statement[ListCommentsRow]
        list_comments_by_id: Statement[ListCommentsByIdRow]
        list_large_numbers: Statement[NoColumns]
        list_large_snippets: Statement[ListLargeSnippetsRow]
        list_named_cards: Statement[ListNamedCardsRow]
        list_pending: Statement[ListPendingRow]
        list_snippets: Statement[ListSnippetsRow]
        list_values: Statement[ListValuesRow]
        list_values_by_field: Statement[ListValuesByFieldRow]
        number_range: Statement[NumberRangeRow]
        update_card: Statement[NoColumns]

    class seen:
        class GetRow(TypedDict):
            event_id: Any

        get: Statement[GetRow]
        upsert: Statement[NoColumns]

    class series:
        class ListColumnChangesRow(TypedDict):
            date: Any
            column_id: Any
            gained: Any

        class ListColumnsRow(TypedDict):
            id: Any
            card_count: Any

        class ListDaysRow(TypedDict):
            date: Any
            created: Any
            closed: Any
            cycle_median: Any
            cycle85: Any

        list_column_changes: Statement[ListColumnChangesRow]
        list_columns: Statement[ListColumnsRow]
        list_days: Statement[ListDaysRow]

    class sessions:
        class FindByTokenRow(TypedDict):
            id: Any
            user_id: Any
            org_id: Any
            ends_at: Any

        class ListRow(TypedDict):
            id: Any
            user_agent: Any
            created_at: Any
            last_seen_at: Any

        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        delete_excess: Statement[NoColumns]
        delete_expired: Statement[NoColumns]
        find_by_token: Statement[FindByTokenRow]
        list: Statement[ListRow]
        update_last_seen: Statement[NoColumns]
        update_organization: Statement[NoColumns]

    class shortcuts:
        class FindRow(TypedDict):
            id: Any

        class GetRow(TypedDict):
            id: Any
            action: Any
            binding: Any

        class ListRow(TypedDict):
            id: Any
            action: Any
            binding: Any

        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        find: Statement[FindRow]
        get: Statement[GetRow]
        list: Statement[ListRow]
        update: Statement[NoColumns]

    class teams:
        class GetRow(TypedDict):
            id: Any
            name: Any
            onboarding_doc: Any
            member_count: Any
            agent_count: Any
            created_at: Any

        class GetOnboardingRow(TypedDict):
            name: Any
            onboarding_doc: Any

        class ListRow(TypedDict):
            id: Any
            name: Any
            onboarding_doc: Any
            member_count: Any
            agent_count: Any
            created_at: Any

        class ListMembersRow(TypedDict):
            id: Any
            email: Any
            full_name: Any
            role: Any

        add_member: Statement[NoColumns]
        archive: Statement[NoColumns]
        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        disable_keys: Statement[NoColumns]
        get: Statement[GetRow]
        get_onboarding: Statement[GetOnboardingRow]
        list: Statement[ListRow]
        list_members: Statement[ListMembersRow]
        remove_member: Statement[NoColumns]
        stop_agents: Statement[NoColumns]
        update: Statement[NoColumns]

    class transitions:
        class FindRow(TypedDict):
            id: Any
            requires_approval: Any

        class GetRow(TypedDict):
            id: Any
            project_id: Any
            from_column_id: Any
            to_column_id: Any
            requires_approval: Any
            created_at: Any

        class ListRow(TypedDict):
            id: Any
            project_id: Any
            from_column_id: Any
            to_column_id: Any
            requires_approval: Any
            created_at: Any

        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        find: Statement[FindRow]
        get: Statement[GetRow]
        list: Statement[ListRow]
        update: Statement[NoColumns]

    class undo:
        class ListCardsRow(TypedDict):
            card_id: Any

        class ListHistoryRow(TypedDict):
            actor_type: Any
            actor_id: Any
            actor: Any
            action: Any
            changes: Any
            imported: Any
            created_at: Any
            is_own: Any

        class ListHistorySinceRow(TypedDict):
            actor_type: Any
            actor_id: Any
            actor: Any
            action: Any
            changes: Any
            imported: Any
            created_at: Any
            is_own: Any

        has_agent: Statement[NoColumns]
        list_cards: Statement[ListCardsRow]
        list_history: Statement[ListHistoryRow]
        list_history_since: Statement[ListHistorySinceRow]
        update_card: Statement[NoColumns]

    class users:
        class FindByEmailRow(TypedDict):
            id: Any
            email: Any
            full_name: Any
            avatar_url: Any
            password_hash: Any
            password_reset_by: Any
            password_reset_at: Any

        class FindByHandleRow(TypedDict):
            id: Any

        class GetRow(TypedDict):
            id: Any
            email: Any
            full_name: Any
            handle: Any
            avatar_url: Any
            theme: Any
            timezone: Any

        class GetPasswordHashRow(TypedDict):
            password_hash: Any

        create: Statement[NoColumns]
        exists: Statement[NoColumns]
        find_by_email: Statement[FindByEmailRow]
        find_by_handle: Statement[FindByHandleRow]
        find_free_handle_number: Statement[NoColumns]
        get: Statement[GetRow]
        get_password_hash: Statement[GetPasswordHashRow]
        revoke_tokens: Statement[NoColumns]
        update: Statement[NoColumns]
        update_password: Statement[NoColumns]

    class watchers:
        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        delete_of_member: Statement[NoColumns]
        is_watching: Statement[NoColumns]

    class webhooks:
        class DeliveryStateRow(TypedDict):
            id: Any
            org_id: Any
            url: Any
            secret: Any
            is_behind: Any
            next_attempt_at: Any

        class GetRow(TypedDict):
            id: Any
            url: Any
            events: Any
            secret: Any
            enabled: Any
            created_at: Any

        class ListRow(TypedDict):
            id: Any
            url: Any
            events: Any
            enabled: Any
            created_at: Any

        class ListEnabledRow(TypedDict):
            id: Any

        class ListEncryptedRow(TypedDict):
            id: Any
            secret: Any

        class NewEventsRow(TypedDict):
            id: Any
            text: Any
            type: Any
            patterns: Any

        count: Statement[NoColumns]
        create: Statement[NoColumns]
        delete: Statement[NoColumns]
        delivery_state: Statement[DeliveryStateRow]
        get: Statement[GetRow]
        list: Statement[ListRow]
        list_enabled: Statement[ListEnabledRow]
        list_encrypted: Statement[ListEncryptedRow]
        new_events: Statement[NewEventsRow]
        reencrypt: Statement[NoColumns]
        set_last_event: Statement[NoColumns]
        skip_events: Statement[NoColumns]
        update: Statement[NoColumns]
