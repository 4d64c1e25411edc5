package dev.weir.whole;

import dev.weir.whole.RefusalTask.Done;
import dev.weir.whole.RefusalTask.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A connected client of some SDK, as far as the refusal matrix needs one. Whatever a call comes to is an outcome. */
interface RefusedClient extends AutoCloseable {

    Outcome call(String tool);

    List<String> tools();

    @Override
    void close();

    /** Does all the tasks, each with a client of its own that stays the same from the refusal to the next call. */
    static List<Done> all(List<RefusalTask> tasks, Function<RefusalTask, RefusedClient> connect)
            throws InterruptedException {
        List<RefusedClient> clients = new ArrayList<>();
        try {
            List<Done> refused = new ArrayList<>();
            for (RefusalTask task : tasks) {
                RefusedClient client = connect.apply(task);
                clients.add(client);
                refused.add(untilRefused(client, task));
            }
            // The wait is what is tried here: there is nothing to look at before it is over.
            Thread.sleep(tasks.stream().mapToInt(RefusalTask::pauseMs).max().orElse(0));
            List<Done> all = new ArrayList<>();
            for (int i = 0; i < tasks.size(); i++) {
                Done before = refused.get(i);
                Outcome next = clients.get(i).call(tasks.get(i).next());
                all.add(new Done(before.cell(), before.refused(), before.listed(), next, before.calls() + 1));
            }
            return all;
        } finally {
            clients.forEach(RefusedClient::close);
        }
    }

    private static Done untilRefused(RefusedClient client, RefusalTask task) {
        Outcome last = null;
        int refusals = 0;
        int calls = 0;
        while (refusals < task.refusals() && calls < RefusalTask.MAX_CALLS) {
            last = client.call(task.tool());
            calls++;
            refusals += last.isError() ? 1 : 0;
        }
        return new Done(task.cell(), last, client.tools(), null, calls);
    }
}
