package dev.weir.app;

import dev.weir.policy.PolicyProblem;
import java.util.List;

/** Is told when the rows in the tables make no policy, and when they make one again. Has to return at once. */
interface PolicyWatch {

    /** One that is told and does nothing. */
    PolicyWatch NONE = new PolicyWatch() {
        @Override
        public void rejected(List<PolicyProblem> problems) {}

        @Override
        public void accepted() {}
    };

    /**
     * The rows make no policy.
     *
     * @param problems why not; at least one
     */
    void rejected(List<PolicyProblem> problems);

    /** The rows make a policy again, after they had made none. */
    void accepted();
}
