"""The template is read as AWS would read it, and what cannot be emulated is refused by name."""

import pytest
import yaml

from emulator.intrinsics import TemplateError
from emulator.template import Cors, load

FUNCTION = {
    "Type": "AWS::Serverless::Function",
    "Properties": {"FunctionName": "f", "Handler": "m.handler", "Runtime": "python3.13", "CodeUri": "."},
}


@pytest.fixture
def read(tmp_path):
    """Loads a template of these resources."""

    def make(resources, parameters=None, **top):
        path = tmp_path / "template.yaml"
        source = {"Transform": "AWS::Serverless-2016-10-31", "Resources": resources, **top}
        path.write_text(yaml.safe_dump(source, sort_keys=False))
        return load(path, parameters)

    return make


def function(**properties):
    return {**FUNCTION, "Properties": {**FUNCTION["Properties"], **properties}}


def test_awss_defaults_are_filled_in(read):
    f = read({"F": function()}).functions["f"]
    assert (f.timeout_s, f.memory_mb, f.retry_attempts, f.max_event_age_s) == (3, 128, 2, 21600)
    assert f.reserved_concurrency is None
    assert not f.recursive_loop_allowed


def test_limits_of_asynchronous_calls_are_read(read):
    f = read(
        {
            "F": function(
                Timeout=7,
                ReservedConcurrentExecutions=2,
                RecursiveLoop="Allow",
                EventInvokeConfig={"MaximumRetryAttempts": 0, "MaximumEventAgeInSeconds": 60},
            )
        }
    ).functions["f"]
    assert (f.timeout_s, f.reserved_concurrency, f.retry_attempts, f.max_event_age_s) == (7, 2, 0, 60)
    assert f.recursive_loop_allowed


def test_intrinsic_functions_and_conditions_are_resolved(read):
    variables = {
        "SUB": {"Fn::Sub": "${AWS::StackName}-${P}-${!literal}-${F2.Arn}"},
        "SUB_WITH": {"Fn::Sub": ["${x}${P}", {"x": {"Ref": "B"}}]},
        "JOIN": {"Fn::Join": [",", ["a", {"Ref": "AWS::Region"}]]},
        "YES": {"Fn::If": ["IsA", "yes", "no"]},
        "GONE": {"Fn::If": ["IsB", "there", {"Ref": "AWS::NoValue"}]},
        "NUMBER": 5,
        "FLAG": True,
    }
    resources = {
        "F": function(Environment={"Variables": variables}),
        "F2": function(FunctionName="g"),
        "B": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "bucket"}},
    }
    conditions = {
        "IsA": {"Fn::Equals": [{"Ref": "P"}, "a"]},
        "IsB": {"Fn::And": [{"Fn::Not": [{"Condition": "IsA"}]}, {"Fn::Or": [{"Condition": "IsA"}]}]},
    }
    parameters = {"P": {"Type": "String", "Default": "x"}}
    environment = (
        read(resources, {"P": "a"}, Parameters=parameters, Conditions=conditions).functions["f"].environment
    )
    assert environment == {
        "SUB": "web4ai-a-${literal}-arn:aws:lambda:ap-northeast-2:000000000000:function:g",
        "SUB_WITH": "bucketa",
        "JOIN": "a,ap-northeast-2",
        "YES": "yes",
        "NUMBER": "5",
        "FLAG": "true",
    }


def test_a_resource_whose_condition_fails_is_not_there(read):
    resources = {"F": {**function(), "Condition": "Never"}, "G": function(FunctionName="g")}
    assert set(read(resources, Conditions={"Never": {"Fn::Equals": ["a", "b"]}}).functions) == {"g"}


def test_routes_schedules_and_cors_are_read(read):
    events = {
        "Get": {
            "Type": "HttpApi",
            "Properties": {"Method": "GET", "Path": "/a/{b}", "ApiId": {"Ref": "Api"}},
        },
        "Tick": {"Type": "ScheduleV2", "Properties": {"ScheduleExpression": "rate(1 minute)", "Input": "{}"}},
        "Off": {
            "Type": "ScheduleV2",
            "Properties": {"ScheduleExpression": "rate(1 day)", "State": "DISABLED"},
        },
    }
    api = {
        "Type": "AWS::Serverless::HttpApi",
        "Properties": {
            "CorsConfiguration": {"AllowOrigins": ["https://a"], "AllowMethods": ["GET"], "MaxAge": 5}
        },
    }
    template = read({"F": function(Events=events), "Api": api})
    (route,) = template.routes
    assert (route.method, route.path, route.function) == ("GET", "/a/{b}", "f")
    (schedule,) = template.schedules
    assert (schedule.function, schedule.expression, schedule.input) == ("f", "rate(1 minute)", "{}")
    assert template.cors == Cors(origins=("https://a",), methods=("GET",), max_age_s=5)


QUEUE_EVENT = {"Q": {"Type": "SQS", "Properties": {"Queue": "arn:aws:sqs:ap-northeast-2:000000000000:q"}}}


@pytest.mark.parametrize(
    ("resources", "named"),
    [
        ({"F": function(Environment={"Variables": {"A": {"Ref": "Nobody"}}})}, "F.*Nobody"),
        ({"F": function(Environment={"Variables": {"A": {"Fn::ImportValue": "x"}}})}, "F.*ImportValue"),
        ({"F": function(Runtime="nodejs22.x")}, "F.*nodejs22.x"),
        ({"F": function(Layers=["arn:aws:lambda:ap-northeast-2:0:layer:l:1"])}, "F.*Layers"),
        (
            {"F": function(), "T": {"Type": "AWS::DynamoDB::Table", "Properties": {}}},
            "T.*AWS::DynamoDB::Table",
        ),
        ({"F": function(Events=QUEUE_EVENT)}, "FQ.*EventSourceMapping"),
        ({"F": function(Policies=["NoSuchPolicyTemplate", {"NoSuch": {}}])}, "F"),
    ],
)
def test_what_cannot_be_emulated_is_refused_by_the_resources_name(read, resources, named):
    with pytest.raises(TemplateError, match=named):
        read(resources)


def test_a_parameter_without_a_value_or_without_a_declaration_is_named(read):
    with pytest.raises(TemplateError, match="Needed"):
        read({"F": function()}, Parameters={"Needed": {"Type": "String"}})
    with pytest.raises(TemplateError, match="Misspelt"):
        read({"F": function()}, {"Misspelt": "x"})


def test_a_broken_aws_profile_of_the_developer_does_not_matter(read, monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "nobody-has-this")
    assert read({"F": function()}).functions
