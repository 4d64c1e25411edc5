package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.auth.Role;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OperationsTest {

    private final Operations operations = new Operations(List.of(
            operation("GET", "/v1/bans", "list"),
            operation("GET", "/v1/bans/{id}", "one"),
            operation("GET", "/v1/bans/export", "export"),
            operation("POST", "/v1/bans/{id}/lift", "lift")));

    @Test
    void anAddressLeadsToItsOperationAndItsNames() {
        assertThat(operations.find("GET", "/v1/bans").operation().id()).isEqualTo("list");
        Operations.Match one = operations.find("GET", "/v1/bans/~L21jcA");
        assertThat(one.operation().id()).isEqualTo("one");
        assertThat(one.path()).isEqualTo(Map.of("id", "/mcp"));
        assertThat(operations.find("GET", "/v1/bans/export").operation().id()).isEqualTo("export");
    }

    @Test
    void anAddressThatIsNotThereIsNotFound() {
        for (String path : new String[] {"/", "", "/v1", "/v1/bans/", "/v1/bans/x/", "/v1/bans/x/lift/y"}) {
            assertThat(problem("GET", path).status()).as(path).isEqualTo(404);
        }
    }

    @Test
    void anotherMethodIsToldWhichThereAre() {
        Problem problem = problem("PUT", "/v1/bans/export");
        assertThat(problem.status()).isEqualTo(405);
        assertThat(problem.headers()).containsEntry("Allow", "GET");
        assertThat(problem("GET", "/v1/bans/x/lift").headers()).containsEntry("Allow", "POST");
    }

    @Test
    void twoOfTheSameAddressAreAMistake() {
        assertThatThrownBy(() ->
                        new Operations(List.of(operation("GET", "/v1/{a}", "x"), operation("GET", "/v1/{b}", "y"))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private Problem problem(String method, String path) {
        return catchThrowableOfType(Problem.class, () -> operations.find(method, path));
    }

    private static Operation operation(String method, String path, String id) {
        return Operation.change(method, path, Role.VIEWER, id, "Does it.", ask -> Answer.nothing());
    }
}
