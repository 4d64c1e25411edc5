package dev.weir.admin;

import dev.weir.policy.PolicyBase;
import dev.weir.policy.PolicyBook;
import dev.weir.policy.SettingValues;
import dev.weir.policy.edit.PolicyDesk;
import dev.weir.policy.table.Table;
import dev.weir.policy.table.Tables;
import dev.weir.rest.Operation;
import java.util.ArrayList;
import java.util.List;

/** All that looks at the policy and changes it. */
public final class PolicyOperations {

    private final PolicyDesk desk;
    private final Edits edits;
    private final SettingOperations settings;

    /**
     * @param base     what stands where no row does
     * @param policies has the policy in force
     * @param inForce  reads the policy again, and returns when it is in force; never throws
     */
    public PolicyOperations(PolicyDesk desk, PolicyBase base, PolicyBook policies, Runnable inForce) {
        this.desk = desk;
        this.edits = new Edits(desk, inForce);
        this.settings = new SettingOperations(
                desk,
                edits,
                SettingValues.standards(base),
                () -> policies.current().settings());
    }

    /** The operations in the order in which they are to be read. */
    public List<Operation> all() {
        List<Operation> all = new ArrayList<>(new TableOperations().all());
        for (Table table : Tables.ALL) {
            if (table.name().equals("setting")) {
                all.addAll(settings.all());
                continue;
            }
            RowOperations rows = new RowOperations(table, desk, edits);
            all.addAll(rows.withoutCreate());
            all.add(table.name().equals("client_key") ? new KeyOperations(table, edits).create() : rows.create());
        }
        all.add(new ChangeOperations(edits).make());
        return all;
    }
}
