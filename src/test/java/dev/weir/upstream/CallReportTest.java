package dev.weir.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallReportTest {

    private final List<String> told = new ArrayList<>();

    @Test
    void allWatchesAreToldInOrderAndOfTheFirstEndOnly() {
        CallReport report = new CallReport(List.of(new Recording("a"), new Recording("b")));
        report.answering(200);
        report.streaming();
        report.failed("cut");
        report.left();
        report.answered();
        report.failed("again");
        assertThat(told)
                .containsExactly("a answering 200", "b answering 200", "a streaming", "b streaming", "a cut", "b cut");
    }

    @Test
    void whatComesAfterTheEndIsNotTold() {
        CallReport report = new CallReport(List.of(new Recording("a")));
        report.left();
        report.answering(200);
        report.streaming();
        report.answered();
        assertThat(told).containsExactly("a left");
    }

    private final class Recording implements CallWatch {

        private final String name;

        Recording(String name) {
            this.name = name;
        }

        @Override
        public void answering(int status) {
            told.add(name + " answering " + status);
        }

        @Override
        public void streaming() {
            told.add(name + " streaming");
        }

        @Override
        public void answered() {
            told.add(name + " answered");
        }

        @Override
        public void failed(String why) {
            told.add(name + " " + why);
        }

        @Override
        public void left() {
            told.add(name + " left");
        }
    }
}
