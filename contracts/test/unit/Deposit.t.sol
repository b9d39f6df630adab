// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Deposit} from "../../src/Deposit.sol";
import {MerchantSplit} from "../../src/MerchantSplit.sol";
import {SplitFactory} from "../../src/SplitFactory.sol";
import {PlainReference} from "../mocks/PlainReference.sol";
import {StipendSender} from "../mocks/Recipients.sol";
import {FalseToken, FeeToken, FussyToken, HostileToken, HungryToken} from "../mocks/Tokens.sol";
import {Bench} from "../mocks/Bench.sol";
import {Vm, vm} from "../mocks/Vm.sol";

contract DepositTest is Bench {
    MerchantSplit private split;
    address private deposit;

    function setUp() external {
        split = splitOf(person("a"), person("b"));
        deposit = factory.depositAddress(address(split), REF);
    }

    function test_sweepsEthAndSaysSo() external {
        give(deposit, 5);
        vm.expectEmit(address(factory));
        emit SplitFactory.DepositSwept(REF, address(split), ETH, deposit, 5);
        vm.assertEq(factory.sweep(address(split), REF, ETH), 5, "amount");
        vm.assertEq(address(split).balance, 5, "in the split");
        vm.assertEq(deposit.balance, 0, "not in the deposit");
    }

    function test_sweepsTokensWithAndWithoutAnAnswer() external {
        usdc.mint(deposit, 7);
        usdt.mint(deposit, 9);
        vm.assertEq(factory.sweep(address(split), REF, address(usdc)), 7, "USDC");
        vm.assertEq(factory.sweep(address(split), REF, address(usdt)), 9, "USDT");
        vm.assertEq(usdc.balanceOf(address(split)), 7, "USDC in the split");
        vm.assertEq(usdt.balanceOf(address(split)), 9, "USDT in the split");
    }

    function test_addressAndCodeAreWhatThePlainReferenceSays() external {
        address implementation = factory.depositImplementation();
        bytes memory runtime = PlainReference.depositRuntime(implementation);
        bytes memory initCode = abi.encodePacked(hex"602a8060093d393df3", runtime);
        bytes32 salt = keccak256(abi.encode(address(split), REF));
        vm.assertEq(deposit, PlainReference.create2Address(address(factory), salt, initCode), "address");
        give(deposit, 1);
        factory.sweep(address(split), REF, ETH);
        vm.assertEq(deposit.code, runtime, "code");
    }

    function test_anEmptyDepositIsNoErrorAndMakesNothing() external {
        vm.recordLogs();
        vm.assertEq(factory.sweep(address(split), REF, ETH), 0, "ETH");
        vm.assertEq(factory.sweep(address(split), REF, address(usdc)), 0, "USDC");
        vm.assertEq(vm.getRecordedLogs().length, 0, "no event");
        vm.assertEq(deposit.code.length, 0, "no clone");
    }

    function test_sweepsAgainWhateverComesLater() external {
        for (uint256 round; round < 3; ++round) {
            give(deposit, 5);
            usdc.mint(deposit, 7);
            factory.sweep(address(split), REF, ETH);
            factory.sweep(address(split), REF, address(usdc));
        }
        vm.assertEq(address(split).balance, 15, "ETH");
        vm.assertEq(usdc.balanceOf(address(split)), 21, "USDC");
    }

    function test_takesEthUnderTheStipendBeforeAndAfterASweep() external {
        StipendSender sender = new StipendSender();
        vm.deal(address(this), 30);
        sender.sendBy{value: 10}(payable(deposit));
        factory.sweep(address(split), REF, ETH);
        sender.sendBy{value: 20}(payable(deposit));
        factory.sweep(address(split), REF, ETH);
        vm.assertEq(address(split).balance, 30, "all of it");
    }

    function test_takesEthWithAMemo() external {
        give(deposit, 1);
        factory.sweep(address(split), REF, ETH);
        vm.deal(address(this), 8);
        (bool done,) = deposit.call{value: 8}("order 66");
        vm.assertTrue(done, "accepted");
        vm.assertEq(factory.sweep(address(split), REF, ETH), 8, "and swept");
    }

    function test_onlyTheFactoryMovesItsMoney() external {
        give(deposit, 1);
        factory.sweep(address(split), REF, ETH);
        give(deposit, 6);
        (bool done, bytes memory answer) = deposit.call(abi.encodeCall(Deposit.sweep, (ETH, address(this), 6)));
        vm.assertTrue(done, "the clone never reverts");
        vm.assertEq(answer.length > 31 ? uint256(bytes32(answer)) : 1, 0, "but says it did nothing");
        vm.assertEq(deposit.balance, 6, "money still there");
        Deposit implementation = Deposit(factory.depositImplementation());
        vm.expectRevert(Deposit.OnlyFactory.selector);
        implementation.sweep(ETH, address(this), 0);
    }

    function test_anyoneMaySweepAndCannotChooseTheSplit() external {
        MerchantSplit other = splitOf(person("thief"), person("accomplice"));
        give(deposit, 6);
        vm.prank(person("thief"));
        vm.assertEq(factory.sweep(address(other), REF, ETH), 0, "another deposit, and empty");
        vm.prank(person("stranger"));
        factory.sweep(address(split), REF, ETH);
        vm.assertEq(address(split).balance, 6, "in its split");
    }

    function test_sweepsBeforeTheSplitExists() external {
        (address[] memory recipients, uint32[] memory bps) = two(person("c"), person("d"));
        address future = factory.predictSplit(recipients, bps, 0);
        give(factory.depositAddress(future, REF), 10_000);
        factory.sweep(future, REF, ETH);
        factory.createSplit(recipients, bps, 0);
        MerchantSplit(future).distribute(ETH);
        vm.assertEq(person("d").balance, 4_999, "shared out");
    }

    function test_aTokenThatRefusesIsAnErrorAlone() external {
        FalseToken bad = new FalseToken();
        bad.mint(deposit, 5);
        vm.expectRevert(
            abi.encodeWithSelector(SplitFactory.SweepFailed.selector, address(split), REF, address(bad))
        );
        factory.sweep(address(split), REF, address(bad));
        vm.expectRevert(
            abi.encodeWithSelector(SplitFactory.SweepFailed.selector, address(split), REF, person("no token"))
        );
        factory.sweep(address(split), REF, person("no token"));
    }

    function test_aFeeTokenIsCountedByWhatLeftTheDeposit() external {
        FeeToken token = new FeeToken();
        token.mint(deposit, 1_000);
        vm.assertEq(factory.sweep(address(split), REF, address(token)), 1_000, "left");
        vm.assertEq(token.balanceOf(address(split)), 990, "arrived");
    }

    function test_aBlockedDepositIsSweptOnceItIsFree() external {
        usdt.mint(deposit, 5);
        usdt.setBlocked(deposit, true);
        vm.expectRevert();
        factory.sweep(address(split), REF, address(usdt));
        usdt.setBlocked(deposit, false);
        vm.assertEq(factory.sweep(address(split), REF, address(usdt)), 5, "swept");
    }

    function test_noItemOfABatchStopsTheOthers() external {
        HostileToken hostile = new HostileToken();
        FalseToken falseToken = new FalseToken();
        SplitFactory.Sweep[] memory sweeps = new SplitFactory.Sweep[](9);
        for (uint256 i; i < sweeps.length; ++i) {
            sweeps[i] = SplitFactory.Sweep(address(split), bytes32(i), address(usdt));
            usdt.mint(depositOf(i), 100);
        }
        usdt.setBlocked(depositOf(1), true); // blocked by the token
        sweeps[2].token = ETH; // empty
        sweeps[3].token = address(falseToken); // returns false
        falseToken.mint(depositOf(3), 1);
        sweeps[4].token = person("no token");
        sweeps[5].token = address(hostile);
        hostile.mint(depositOf(5), 1);
        sweeps[6] = sweeps[0]; // duplicate
        sweeps[7].split = address(usdt); // not a split: bound to its own deposit, which is empty

        for (uint256 mode = 1; mode < 7; ++mode) {
            uint256 snapshot = vm.snapshotState();
            hostile.setMode(HostileToken.Mode(mode));
            vm.recordLogs();
            factory.sweepMany{gas: 3_000_000}(sweeps);
            vm.assertEq(usdt.balanceOf(address(split)), 200, "items 0 and 8");
            vm.assertEq(countSwept(), 2, "an event each, none for the rest");
            vm.assertEq(depositOf(4).code.length, 0, "no clone where there is no token");
            vm.revertToState(snapshot);
        }
    }

    function test_aHostileTokenCannotMakeABatchPayTwice() external {
        HostileToken hostile = new HostileToken();
        hostile.mint(deposit, 1);
        give(factory.depositAddress(address(split), "eth"), 50);
        hostile.setReentry(address(factory), abi.encodeCall(factory.sweep, (address(split), "eth", ETH)));
        SplitFactory.Sweep[] memory sweeps = new SplitFactory.Sweep[](2);
        sweeps[0] = SplitFactory.Sweep(address(split), REF, address(hostile));
        sweeps[1] = SplitFactory.Sweep(address(split), "eth", ETH);
        vm.recordLogs();
        factory.sweepMany(sweeps);
        vm.assertEq(hostile.reentered(), 1, "it did sweep");
        vm.assertEq(countSwept(), 2, "each deposit told once");
        vm.assertEq(address(split).balance, 50, "moved once");
    }

    function test_aMeanCallerCannotMakeABatchPassOverAnHonestToken() external {
        FussyToken fussyToken = new FussyToken();
        address[3] memory tokens = [address(usdc), address(fussyToken), ETH];
        SplitFactory.Sweep[] memory sweeps = new SplitFactory.Sweep[](3);
        for (uint256 i; i < tokens.length; ++i) {
            sweeps[i] = SplitFactory.Sweep(address(split), bytes32(i), tokens[i]);
        }
        usdc.mint(depositOf(0), 100);
        fussyToken.mint(depositOf(1), 100);
        give(depositOf(2), 100);
        uint256 succeeded;
        for (uint256 gas_ = 30_000; gas_ < 800_000; gas_ += 2_000) {
            uint256 snapshot = vm.snapshotState();
            (bool done,) = address(factory).call{gas: gas_}(abi.encodeCall(factory.sweepMany, (sweeps)));
            if (done) {
                ++succeeded;
                vm.assertEq(usdc.balanceOf(address(split)), 100, "the first token went through");
                vm.assertEq(fussyToken.balanceOf(address(split)), 100, "the second token went through");
                vm.assertEq(address(split).balance, 100, "the ETH went through");
            }
            vm.revertToState(snapshot);
        }
        vm.assertTrue(succeeded > 0, "some gas is enough");
    }

    /// @dev Reads, clones and moves at maximum cost. With less gas than all three need, the batch reverts.
    function test_aMeanCallerCannotMakeABatchPassOverAHungryToken() external {
        HungryToken token = new HungryToken();
        SplitFactory.Sweep[] memory sweeps = new SplitFactory.Sweep[](1);
        sweeps[0] = SplitFactory.Sweep(address(split), 0, address(token));
        token.mint(depositOf(0), 100);
        uint256 succeeded;
        for (uint256 gas_ = 60_000; gas_ < 600_000; gas_ += 2_000) {
            uint256 snapshot = vm.snapshotState();
            (bool done,) = address(factory).call{gas: gas_}(abi.encodeCall(factory.sweepMany, (sweeps)));
            if (done) {
                ++succeeded;
                vm.assertEq(token.balanceOf(address(split)), 100, "moved");
            }
            vm.revertToState(snapshot);
        }
        vm.assertTrue(succeeded > 0, "some gas is enough");
    }

    function depositOf(uint256 ref) private view returns (address) {
        return factory.depositAddress(address(split), bytes32(ref));
    }

    function countSwept() private returns (uint256 count) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] == SplitFactory.DepositSwept.selector) ++count;
        }
    }
}
